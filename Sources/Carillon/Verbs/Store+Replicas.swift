package import CarillonModel
internal import CarillonSQLite
internal import Foundation

/// What a person decides about the devices of a store.
extension Store {
  /// Sets the name and the role of a device, and whether it is retired.
  ///
  /// A nil parameter leaves its value unchanged. Any replica may set the values of any device of
  /// the store. A retired device delivers no reminders, and no other device waits for it, until it
  /// is set to be in use again.
  ///
  /// - Parameters:
  ///   - replica: The replica of the device.
  ///   - name: 1 to 64 bytes, which no other replica shows as its name.
  ///   - role: The kind of device.
  ///   - isRetired: Whether the device is no longer in use.
  /// - Returns: What was written; nothing if everything is so already.
  /// - Throws: `notFound` for a replica that the log does not have; `alreadyExists` for a name that
  ///   another replica has.
  @discardableResult
  package func setDevice(
    _ replica: ReplicaID, name: String? = nil, role: Device.Role? = nil, isRetired: Bool? = nil
  ) async throws(StoreError) -> Written {
    let name = name?.precomposedStringWithCanonicalMapping
    if let name, !name.isVisible {
      throw StoreError(
        code: .invalidValue,
        message: "name: has no visible character; 1 to 64 bytes with at least one are required")
    }
    return try await write(isActivity: false) { context in
      let replicas = try self.replicas(context.reader)
      guard replicas.contains(where: { $0.replica == replica }) else {
        throw StoreError(code: .notFound, message: "there is no replica \(replica)")
      }
      if let name, let other = replicas.first(where: { $0.name == name }), other.replica != replica
      {
        throw StoreError(
          code: .alreadyExists, message: "the replica \(other.replica) is named \"\(name)\"",
          hint: "use another name, or rename that replica first")
      }
      let known = try context.reader.device(replica) ?? Device(replica: replica)
      var change = DeviceSet(device: replica)
      if name != known.name { change.name = name }
      if role != known.description?.role { change.role = role }
      if isRetired != (known.retiredSince != nil) { change.isRetired = isRetired }
      guard change != DeviceSet(device: replica) else { return Decision(payloads: []) }
      return Decision(payloads: [.deviceSet(change)], needsState: true)
    }
  }
}
