package import CarillonModel

/// What a credential allows: a kind of device that has a replica, or a viewer.
package enum AccessRole: String, Hashable, Sendable, CaseIterable {
  case phone, tablet, watch, desktop, server
  /// Reads everything and changes nothing.
  case viewer

  /// The kind of device; nil for a viewer, which has no replica.
  package var device: Device.Role? { Device.Role(rawValue: rawValue) }
}
