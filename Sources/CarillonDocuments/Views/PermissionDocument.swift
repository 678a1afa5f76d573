package import Carillon
package import CarillonModel

/// This device's permission to show notifications, and its switches.
package struct PermissionDocument: Sendable {
  package let device: Device
  package let tokens: [PushTokenSet]
  /// Whether the app may show its own permission screen now.
  package let mayPrime: Bool
  /// From when the app may show it; nil for any time.
  package let primeFrom: Instant?
  private let time: LocalTime

  /// Reads the state of this device from a store.
  package init(_ store: Store, _ time: LocalTime) async throws {
    device = try await store.device()
    tokens = try await store.pushTokens()
    primeFrom = device.mayBePrimed(after: try await store.settings(), in: time.zone)
    mayPrime = device.mayBeAsked && primeFrom.map { $0 <= time.now } ?? true
    self.time = time
  }

  /// `{status,since,options[],asked,canAsk,canPrime,primeFrom,refusals,alerts,badge,sound,blocked,`
  /// `tokens[]}`.
  package var json: JSON {
    [
      "status": .text(device.permission.status.rawValue),
      "since": .text(device.permissionSince.map(time.rfc3339)),
      "options": .array(device.permission.options.names) { .text($0) },
      "asked": .bool(device.wasAsked), "canAsk": .bool(device.mayBeAsked),
      "canPrime": .bool(mayPrime),
      "primeFrom": .text(device.mayBeAsked ? primeFrom.map(time.rfc3339) : nil),
      "refusals": .integer(device.priming.refusalCount),
      "alerts": .bool(device.alerts.isOn), "badge": .bool(device.alerts.badgeIsOn),
      "sound": .bool(device.alerts.soundIsOn), "blocked": .text(device.blocked?.rawValue),
      "tokens": .array(tokens, \.json),
    ]
  }
}

extension PushTokenSet {
  /// `{environment,token}`, or `{environment,error}` if there is no token.
  fileprivate var json: JSON {
    switch registration {
    case .token(let bytes): ["environment": .text(environment), "token": .text(bytes.hexadecimal)]
    case .failure(let text): ["environment": .text(environment), "error": .text(text)]
    }
  }
}
