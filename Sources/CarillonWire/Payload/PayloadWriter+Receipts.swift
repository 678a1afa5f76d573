internal import CarillonModel
internal import Foundation
internal import SwiftProtobuf

/// The generated messages of receipts and of what happens in the background. What has its default
/// is not written.
extension PayloadWriter {
  /// The kinds that ``message(_:)`` does not name itself.
  static func laterKind(_ payload: Payload) -> Carillon_V1_Payload.OneOf_Kind? {
    switch payload {
    case .itemObserved(let observed): .itemObserved(itemObserved(observed))
    case .receiptAdvanced(let receipt): .receiptAdvanced(receiptAdvanced(receipt))
    case .responseRecorded(let response): .responseRecorded(responseRecorded(response))
    case .wakeFinished(let wake): .wakeFinished(wakeFinished(wake))
    case .pushTokenSet(let token): .pushTokenSet(pushTokenSet(token))
    case .pushReceived(let push): .pushReceived(pushReceived(push))
    case .importFinished(let finished): .importFinished(importFinished(finished))
    default: nil
    }
  }

  private static func itemObserved(_ observed: ItemObserved) -> Carillon_V1_ItemObserved {
    .with {
      $0.source = observed.source
      $0.items = observed.items.map { item in
        .with {
          $0.item = item.item
          if item.revision != ReceiptSubject.firstRevision { $0.revision = item.revision }
          if let title = item.title { $0.title = title }
        }
      }
    }
  }

  private static func receiptAdvanced(
    _ receipt: ReceiptAdvanced
  ) -> Carillon_V1_ReceiptAdvanced {
    .with {
      switch receipt.subject {
      case .occurrence(let habit, let slot, let nominal):
        $0.occurrence = occurrence(habit, slot, nominal)
      case .item(let source, let item): $0.item = self.item(source, item)
      case .push(let id): $0.push = .with { $0.push = id }
      }
      if receipt.revision != ReceiptSubject.firstRevision { $0.revision = receipt.revision }
      $0.state = named(receipt.state)
      if let at = receipt.at { $0.at = at.milliseconds }
      if let fireAt = receipt.fireAt { $0.fireAt = fireAt.milliseconds }
    }
  }

  private static func responseRecorded(
    _ response: ResponseRecorded
  ) -> Carillon_V1_ResponseRecorded {
    .with {
      switch response.subject {
      case .occurrence(let habit, let slot, let nominal):
        $0.occurrence = occurrence(habit, slot, nominal)
      case .item(let source, let item): $0.item = self.item(source, item)
      case .push(let id): $0.push = .with { $0.push = id }
      }
      if response.revision != ReceiptSubject.firstRevision { $0.revision = response.revision }
      $0.action = response.action
      if let text = response.text { $0.text = text }
      if let at = response.at { $0.at = at.milliseconds }
    }
  }

  private static func occurrence(
    _ habit: HabitID, _ slot: SlotID, _ nominal: CivilDateTime
  ) -> Carillon_V1_OccurrenceSubject {
    .with {
      $0.habit = data(habit)
      $0.slot = data(slot)
      $0.date = nominal.date.rawValue
      $0.minute = UInt32(nominal.time.minute)
    }
  }

  private static func item(_ source: String, _ item: String) -> Carillon_V1_ItemSubject {
    .with {
      $0.source = source
      $0.item = item
    }
  }

  private static func wakeFinished(_ wake: WakeFinished) -> Carillon_V1_WakeFinished {
    .with {
      $0.reason = named(wake.reason)
      $0.result = named(wake.result)
      $0.newCount = UInt32(clamping: wake.newCount)
    }
  }

  private static func pushTokenSet(_ set: PushTokenSet) -> Carillon_V1_PushTokenSet {
    .with {
      $0.environment = set.environment
      switch set.registration {
      case .token(let bytes): $0.token = Data(bytes)
      case .failure(let text): $0.error = text
      }
    }
  }

  private static func pushReceived(_ push: PushReceived) -> Carillon_V1_PushReceived {
    .with {
      $0.push = push.id
      $0.kind = named(push.kind)
      $0.collapses = push.collapses
      if let category = push.category { $0.category = category }
      if let thread = push.thread { $0.thread = thread }
      $0.content = Data(push.content)
      if let at = push.at { $0.at = at.milliseconds }
    }
  }

  private static func importFinished(_ finished: ImportFinished) -> Carillon_V1_ImportFinished {
    .with {
      $0.source = finished.source
      $0.fileHash = Data(finished.fileHash)
      $0.counts = finished.counts
        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        .map { count in
          .with {
            $0.name = count.key
            $0.count = count.value
          }
        }
    }
  }
}
