/// An event that records the notification permission of the writing device.
///
/// A grow-only set of events, of which projections keep the newest 1,000 per replica. The event
/// with the greatest ID wins.
public struct PermissionChanged: Hashable, Sendable {
  /// The new permission.
  package var permission: Permission
  /// The moment of the change; nil if it is the event's own millisecond, which is not written.
  package var at: Instant?

  /// Creates a value from its parts.
  package init(_ permission: Permission, at: Instant? = nil) {
    self.permission = permission
    self.at = at
  }
}

extension PermissionChanged: DatedContent {
  package static let kind = Payload.Kind.permissionChanged
  package static let name = "permission.changed"
  package static let merge = MergeRule.growOnlySet
  package static let blank = PermissionChanged(Permission())

  package var payload: Payload { .permissionChanged(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.defaulted(1, "status", &permission.status, .notDetermined, isNamed: true)
    try visitor.defaulted(2, "options", &permission.options, [])
    try visitor.optional(3, "at", &at)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    permission.status.rawValue
  }
}
