public import CarillonModel
import CarillonSealing
import CarillonWire

/// An event as stored in one log.
///
/// If its content does not hash to its ID, only the ID is given.
public struct LoggedEvent: Hashable, Sendable {
  /// The event's position in the log.
  public let position: LogPosition
  /// The event itself.
  public let event: StoredEvent
  /// The decoded payload; nil if its bytes were erased, are missing, cannot be read, or exceed a
  /// limit.
  public let payload: Payload?

  /// Why a sealed payload has no ``payload``; nil for all others.
  package let unopened: UnopenedPayload?

  /// What an event about the keys of a sealed store is called; nil for all others.
  private let keyEventName: String?

  /// - Parameter ring: The keys of a sealed store; nil for any other store.
  init(_ raw: RawEvent, opening ring: KeyRing?) {
    position = raw.position
    event = raw.event
    guard raw.redacted == nil, !raw.payload.isEmpty, let ring else {
      (unopened, keyEventName) = (nil, nil)
      payload = raw.redacted == nil ? try? PayloadCoding.decode(raw.payload) : nil
      return
    }
    do throws(SealingError) {
      let opened = try ring.opened(raw)
      payload = try? PayloadCoding.decode(opened)
      unopened = nil
      let form = opened.withUnsafeBytes { Envelope.form(of: $0) }
      keyEventName = form.flatMap { Self.keyEventNames[$0] }
    } catch {
      (payload, keyEventName) = (nil, nil)
      unopened = UnopenedPayload(of: raw, error)
    }
  }

  /// The names of the events that a sealed store writes besides sealed payloads.
  package static let keyEventNames: [Envelope.Form: String] = [
    .epochStart: "epoch.started", .deviceKey: "deviceKey.stated", .erasureList: "erasure.listed",
    .pairing: "pairing.sent",
  ]

  /// Whether the event is about the keys of a sealed store, and has nothing else to show.
  package var isAboutKeys: Bool { keyEventName != nil }

  /// The name of the event's kind; `erased` if its payload was erased, `missing` if only its ID is
  /// known or its content is damaged, `unopened` if its sealed payload cannot be opened, and
  /// `unreadable` if its payload cannot be decoded.
  package var typeName: String {
    if event.redacted != nil { return "erased" }
    if unopened != nil { return "unopened" }
    if let keyEventName { return keyEventName }
    return event.isMissing ? "missing" : payload?.typeName ?? "unreadable"
  }
}
