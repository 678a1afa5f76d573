package import CarillonModel
internal import Synchronization

/// The identity announcement of one handle on a log.
///
/// The closure is kept in a struct: a mutex that holds the closure itself wraps it in a thunk at
/// each access, and so in a chain that overflows the stack after about 100,000 writes.
package final class CurrentAnnouncement: Sendable {
  private let stored = Mutex(Stored())

  private struct Stored {
    var announcement: IdentityAnnouncement = { _ in [] }
  }

  package init() {}

  /// The closure that provides a new identity's first events.
  package var closure: IdentityAnnouncement {
    get { stored.withLock { $0.announcement } }
    set { stored.withLock { $0.announcement = newValue } }
  }
}
