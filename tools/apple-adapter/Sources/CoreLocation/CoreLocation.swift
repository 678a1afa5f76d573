// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What the adapter uses of Apple's framework of the same name; nothing here does anything.

public struct CLLocationCoordinate2D: Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

public class CLRegion {
  public var notifyOnEntry = true
  public var notifyOnExit = true
}

public final class CLCircularRegion: CLRegion {
  public init(center: CLLocationCoordinate2D, radius: Double, identifier: String) {}
}
