// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declares the parts of Apple's framework that the adapter uses. The declarations do nothing.

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
