import CarillonModel

/// The names by which people tell replicas apart: each described name, and from the second replica
/// of a name on a number behind it, by first event ID.
struct DisplayNames {
  private let names: [ReplicaID: String]

  /// - Parameters:
  ///   - names: The replicas with their described names, nil for one not yet described.
  ///   - firstIDs: The least event ID of each.
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
