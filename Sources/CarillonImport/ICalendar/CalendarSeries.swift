import CarillonModel

/// All components of a file with the same UID: a series and its changed instances.
struct CalendarSeries {
  let key: ImportKey
  /// The series; nil if the file contains only instances.
  private(set) var whole: CalendarEvent?
  private(set) var instances: [CalendarEvent] = []
  /// The index of each instance, by its moment.
  private var indices: [CalendarTime: Int] = [:]

  /// The series, then its instances.
  var events: [CalendarEvent] { [whole].compactMap(\.self) + instances }

  /// Creates a series without events.
  init(_ key: ImportKey) {
    self.key = key
  }

  /// Adds an event.
  ///
  /// If the file has two versions of it, the later one is kept.
  ///
  /// - Returns: Whether one of two versions was dropped.
  mutating func add(_ event: CalendarEvent) -> Bool {
    guard let moment = event.instance else {
      defer { whole = Self.later(whole, event) }
      return whole != nil
    }
    guard let index = indices[moment] else {
      indices[moment] = instances.count
      instances.append(event)
      return false
    }
    instances[index] = Self.later(instances[index], event)
    return true
  }

  private static func later(_ old: CalendarEvent?, _ new: CalendarEvent) -> CalendarEvent {
    guard let old else { return new }
    return new.revision.isOlder(than: old.revision) ? old : new
  }
}
