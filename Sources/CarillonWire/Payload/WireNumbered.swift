internal import CarillonModel

/// An enumeration of the model that has numbers in `event.proto`.
protocol WireNumbered: CaseIterable {
  /// The number of the case; never changes.
  var wireNumber: Int { get }
}

extension WireNumbered {
  init?(wireNumber: Int) {
    guard let match = Self.allCases.first(where: { $0.wireNumber == wireNumber }) else {
      return nil
    }
    self = match
  }
}

extension Habit.Kind: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .yesNo: 0
    case .count: 1
    }
  }
}

extension Habit.Direction: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .atLeast: 0
    case .atMost: 1
    }
  }
}

extension Habit.Owner: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .phoneFirst: 0
    case .phone: 1
    case .watch: 2
    case .both: 3
    }
  }
}

extension DayMark: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .clear: 0
    case .skip: 1
    case .no: 2
    }
  }
}

extension Permission.Status: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .notDetermined: 0
    case .denied: 1
    case .authorized: 2
    case .provisional: 3
    case .ephemeral: 4
    }
  }
}

extension PermissionAsked.Step: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .primed: 1
    case .prompted: 2
    }
  }
}

extension PermissionAsked.Outcome: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .unknown: 0
    case .yes: 1
    case .no: 2
    }
  }
}

extension Device.Role: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .phone: 1
    case .tablet: 2
    case .watch: 3
    case .desktop: 4
    case .server: 5
    }
  }
}

extension ReceiptState: WireNumbered {
  var wireNumber: Int { Int(rank) }
}

extension WakeFinished.Reason: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .fetch: 1
    case .push: 2
    case .refresh: 3
    case .launch: 4
    }
  }
}

extension WakeFinished.Result: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .newData: 1
    case .noData: 2
    case .failed: 3
    }
  }
}

extension PushReceived.Kind: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .alert: 1
    case .background: 2
    case .both: 3
    case .malformed: 4
    }
  }
}

extension QuietPolicy: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .deferred: 0
    case .silent: 1
    case .drop: 2
    }
  }
}

extension InterruptionLevel: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .passive: 1
    case .active: 2
    case .timeSensitive: 3
    case .critical: 4
    }
  }
}

extension Relative.Edge: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .start: 0
    case .end: 1
    }
  }
}

extension Region.Crossing: WireNumbered {
  var wireNumber: Int {
    switch self {
    case .entry: 0
    case .exit: 1
    }
  }
}
