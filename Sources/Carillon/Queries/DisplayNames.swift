import CarillonModel

/// Unique display names for replicas.
///
/// The replica with the least first event ID keeps its described name; further replicas of the same
/// name get a number: `phone`, `phone.2`, `phone.3`.
struct DisplayNames {
  private let names: [ReplicaID: String]

  /// - Parameters:
  ///   - names: The replicas with their described names; nil for a replica not yet described, which
  ///     is named by the first 8 digits of its ID.
  ///   - firstIDs: The least event ID of each replica.
  init(names: [(ReplicaID, String?)], firstIDs: [ReplicaID: EventID]) {
    let ordered = names.sorted { left, right in
      guard let first = firstIDs[left.0], let second = firstIDs[right.0] else {
        return left.0 < right.0
      }
      return first < second
    }
    var taken = Set(ordered.compactMap(\.1))
    var counts: [String: Int] = [:]
    var unique: [ReplicaID: String] = [:]
    for (replica, described) in ordered {
      let name = described ?? String(replica.description.prefix(8))
      var candidate = name
      if counts[name, default: 0] > 0 {
        var number = 2
        while taken.contains("\(name).\(number)") { number += 1 }
        candidate = "\(name).\(number)"
      }
      counts[name, default: 0] += 1
      taken.insert(candidate)
      unique[replica] = candidate
    }
    self.names = unique
  }

  subscript(replica: ReplicaID) -> String {
    names[replica] ?? String(replica.description.prefix(8))
  }
}
