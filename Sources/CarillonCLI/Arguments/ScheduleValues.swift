import Carillon

/// A circle: latitude and longitude in degrees, and a radius in metres.
struct PlaceText: ArgumentValue {
  private let latitude: Int32
  private let longitude: Int32
  private let radius: Int

  static let form = "latitude, longitude and radius, such as 52.52,13.405,200m"

  init(argument: String) throws(ArgumentProblem) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, parts[2].hasSuffix("m"), let radius = Int(parts[2].dropLast()) else {
      throw ArgumentProblem("\"\(argument)\" is not latitude, longitude and a radius such as 200m")
    }
    guard (1...100_000).contains(radius) else {
      throw ArgumentProblem("the radius \(parts[2]) is out of range; 1m to 100000m is allowed")
    }
    latitude = try Self.millionths(parts[0], "latitude", 90)
    longitude = try Self.millionths(parts[1], "longitude", 180)
    self.radius = radius
  }

  func region(_ crossing: Schedule.Region.Crossing) -> Schedule.Region {
    Schedule.Region(latitude: latitude, longitude: longitude, radius: radius, crossing: crossing)
  }

  private static func millionths(
    _ text: String, _ name: String, _ most: Int32
  ) throws(ArgumentProblem) -> Int32 {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard (1...2).contains(parts.count), fraction.utf8.count <= 6,
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let whole = Int32(parts[0]),
      let rest = Int32(fraction + String(repeating: "0", count: 6 - fraction.utf8.count))
    else { throw ArgumentProblem("the \(name) \(text) is not a number with at most 6 decimals") }
    guard whole < most || whole == most && rest == 0 else {
      throw ArgumentProblem("the \(name) \(text) is out of range; -\(most) to \(most) is allowed")
    }
    let value = whole * 1_000_000 + rest
    return text.hasPrefix("-") ? -value : value
  }
}
