package import Foundation

extension TimeZone {
  /// The zone's IANA name; Foundation calls `UTC` `GMT`.
  package var ianaName: String { identifier == "GMT" ? "UTC" : identifier }
}
