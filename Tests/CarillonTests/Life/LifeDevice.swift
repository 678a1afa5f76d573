import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Synchronization

/// Why a reminder that was wanted may stay silent, or one may fire twice.
///
/// Nothing else is excused.
enum LifeExcuse: String, CaseIterable {
  /// The device lost its system's list at a restart, and the app was not opened since.
  case reboot
  /// Permission was taken back: the system shows nothing, keeps what it had, and goes on with that
  /// when permission returns, until the app is opened.
  case revoked
  /// The device knew that it may not show anything; another one was not told in time.
  case blocked
  /// It fires after what the device's system was last given lasts: the app was not opened.
  case coverage
  /// People travelled west, and the clocks show its time a second time.
  case travel
  /// The device that had to fire was not told: the two had not synced since.
  case notTold
  /// People travelled west, and the other device had been given it in the zone they left: its time
  /// passed there, so that it is presumed to be shown; or it had been given it in a digest. The
  /// system that holds it has to fire it, or is excused itself.
  case presumed
  /// The other device had not been heard of for so long that this one fires too (48 hours, and
  /// what it said it holds).
  case takeover
  /// The system repeats by itself where people travelled west, and the app was not opened between;
  /// or the system had lost by a restart what it had shown when the app was opened.
  case repeated
}

/// One device of a simulated life: the real store, the stand-in, and what the oracle knows of it.
struct LifeDevice {
  /// What one device shows of itself to the other when they sync.
  struct Sight {
    var lastWrite: Instant
    var coverage: Instant?
    var isBlocked = false
    /// How many plans its system was given.
    var planCount = 0
  }

  /// Whether a device reminds of what the phone fires first.
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
    /// The plan; what the system holds unchanged may stand for other revisions since.
    let requests: [String: Request]
    /// How many plans of the other device's it knew of.
    let knownPlans: Int
    /// From when on the system does not hold what it was given.
    var cut: (at: Instant, excuse: LifeExcuse)?

  }

  let role: Device.Role
  let store: Store
  let scheduler: TellingScheduler
  var own: Sight
  var other: Sight
  var knows: Set<Int> = []
  /// What the system says, and what the app was told of it.
  var isAllowed = true
  var isToldAllowed = true
  /// When permission changed, in the system or to the app's knowledge.
  var permissionChanges: [Instant]
  var syncs: [Instant]
  /// When the app gave the system its plan, and when the device was restarted.
  var openings: [Instant] = []
  var reboots: [Instant] = []
  var application: Application? { applications.last }
  var applications: [Application] = []
  /// How many firings were judged.
  var judged = 0

  /// From now on its system does not hold what it was given last.
  mutating func cut(at instant: Instant, _ excuse: LifeExcuse) {
    guard let last = applications.indices.last, applications[last].cut == nil else { return }
    applications[last].cut = (instant, excuse)
  }

  /// Whether this device reminds of the habits that the phone fires first.
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
