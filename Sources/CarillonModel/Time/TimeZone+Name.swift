package import Foundation

extension TimeZone {
  /// Its name in the IANA database; Foundation calls `UTC` `GMT`.
  package var ianaName: String { identifier == "GMT" ? "UTC" : identifier }
}
