import Carillon
package import Foundation

extension TimeZone {
  /// Returns the device's time zone.
  ///
  /// - Throws: A usage error if `TZ` names no zone.
  package static func device<Failure: ProgramFailure>(
    or failure: Failure.Type
  ) throws(Failure) -> TimeZone {
    guard let zone = TimeZone.device else {
      let value = ProcessInfo.processInfo.environment["TZ"] ?? ""
      throw .badValue(
        "TZ is \"\(value)\", which is not a name of the time zone database; reminders need the "
          + "rules that belong to such a name",
        hint: "set a name, such as TZ=Asia/Tokyo, or give --zone Asia/Tokyo")
    }
    return zone
  }
}
