import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Synchronization

/// A reason why a wanted reminder may stay silent, or why one may fire twice.
///
/// Nothing else is excused.
enum LifeExcuse: String, CaseIterable {
  /// The device lost its system's list at a restart, and the app has not been opened since.
  case reboot
  /// Permission was revoked.
  ///
  /// The system delivers nothing but keeps its list, and continues with it when permission returns,
  /// until the app is opened.
  case revoked
  /// The device knew that it may not deliver anything; the other one did not learn that in time.
  case blocked
  /// It fires after the coverage of the plan that the system was last given; the app was not
  /// opened.
  case coverage
  /// People travelled west, and the clocks show its time a second time.
  case travel
  /// The device that had to fire did not know of it: the two had not synced since.
  case notTold
  /// People travelled west, and the other device held the reminder for the zone they left.
  ///
  /// Its time passed there, so it is presumed delivered. Or the other device held it in a digest.
  /// The system that holds it has to fire it, or is excused itself.
  case presumed
  /// The other device had not been heard of for so long that this one also fires (48 hours, and the
  /// coverage that it announced).
  case takeover
  /// The system repeats by itself in a place to which people travelled west, and the app was not
  /// opened in between.
  ///
  /// Or the system lost its delivered notifications in a restart before the app was opened.
  case repeated
}

/// One device of a simulated life: the real store, the stand-in of its system, and what the oracle
/// knows of it.
struct LifeDevice {
  /// What one device learns of the other when they sync.
  struct Sight {
    var lastWrite: Instant
    var coverage: Instant?
    var isBlocked = false
    /// The number of plans that its system was given.
    var planCount = 0
  }

  /// Whether a device fires reminders that belong to the phone first.
  enum Claim {
    case own, otherBlocked, otherStale, none
  }

  /// The last time that the system was given the plan.
  struct Application {
    let at: Instant
    let coverage: Instant
    let state: LifeState
    let claim: Claim
    let isBlocked: Bool
    /// The plan.
    ///
    /// Requests that the system keeps unchanged may now cover other revisions.
    let requests: [NotificationID: NotificationRequest]
    /// The number of the other device's plans that it knew of.
    let knownPlans: Int
    /// From when the system no longer holds what it was given.
    var cut: (at: Instant, excuse: LifeExcuse)?

  }

  let role: Device.Role
  let store: Store
  let scheduler: RecordingScheduler
  var own: Sight
  var other: Sight
  var knows: Set<Int> = []
  /// Whether the system allows notifications, and whether the app knows it.
  var isAllowed = true
  var believesAllowed = true
  /// When permission changed, in the system or to the app's knowledge.
  var permissionChanges: [Instant]
  var syncs: [Instant]
  /// When the app gave the system its plan, and when the device was restarted.
  var openings: [Instant] = []
  var reboots: [Instant] = []
  var application: Application? { applications.last }
  var applications: [Application] = []
  /// The number of firings that were judged.
  var judged = 0

  /// Records that its system no longer holds what it was given last.
  mutating func cut(at instant: Instant, _ excuse: LifeExcuse) {
    guard let last = applications.indices.last, applications[last].cut == nil else { return }
    applications[last].cut = (instant, excuse)
  }

  /// Returns whether this device fires reminders of the habits that the phone fires first.
  func claim(at now: Instant, staleHours: Int64 = 48) -> Claim {
    if role == .phone { return .own }
    if other.isBlocked { return .otherBlocked }
    let stale = Instant(milliseconds: other.lastWrite.milliseconds + staleHours * 3_600_000)
    return now < max(stale, other.coverage ?? stale) ? .none : .otherStale
  }

  func reminds(of habit: LifeHabit, _ claim: Claim) -> Bool {
    Self.reminds(role, of: habit, claim)
  }

  static func reminds(_ role: Device.Role, of habit: LifeHabit, _ claim: Claim) -> Bool {
    switch habit.owner {
    case .both: true
    case .phone: role == .phone
    case .watch: role == .watch
    case .phoneFirst: claim != .none
    }
  }
}

/// The zone in which people are, which the stores read.
final class LifeZone: Sendable {
  private let value: Mutex<TimeZone>

  init(_ zone: TimeZone) { value = Mutex(zone) }

  var zone: TimeZone {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
