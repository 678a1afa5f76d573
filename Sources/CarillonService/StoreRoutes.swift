#if Service
public import Carillon
import CarillonDocuments
import HTTPTypes
public import Hummingbird
import Metrics
import NIOCore

/// The routes of a store, for a router of your own.
///
/// ```swift
/// let router = Router()
/// StoreRoutes(store).add(to: router.group("v1"))
/// ```
public struct StoreRoutes<Context: RequestContext>: Sendable {
  /// Returns the store that a request concerns.
  public typealias Source = @Sendable (Request, Context) async throws -> Store

  let source: Source
  /// Returns an ID of who makes a request, for the numbers of syncs; nil for nobody in particular.
  let peer: @Sendable (Context) -> String?
  /// Returns the connection of a request, which tells when its client is gone; nil if that is not
  /// known.
  let channel: @Sendable (Context) -> (any Channel)?
  let limits: ServiceLimits
  let metrics: ServiceMetrics
  let streams: OpenStreams
  let pending = PendingCache()
  let rebuilds = Rebuilds()
  let downloads: OpenStreams
  let reads: ExpensiveReads
  let bodies: ReceivedBodies

  /// Creates the routes of one store.
  public init(_ store: Store) {
    self.init { _, _ in store }
  }

  /// Creates routes that find the store of each request, such as that of the person who is signed
  /// in.
  public init(source: @escaping Source) {
    self.init(
      limits: ServiceLimits(), metrics: ServiceMetrics(MetricsSystem.factory), source: source)
  }

  init(
    limits: ServiceLimits, metrics: ServiceMetrics,
    peer: @escaping @Sendable (Context) -> String? = { _ in nil },
    channel: @escaping @Sendable (Context) -> (any Channel)? = { _ in nil },
    source: @escaping Source
  ) {
    (self.source, self.peer, self.channel) = (source, peer, channel)
    (self.limits, self.metrics) = (limits, metrics)
    reads = ExpensiveReads(maxCount: limits.reads)
    bodies = ReceivedBodies(limits)
    streams = OpenStreams(
      maxCount: limits.streams, noun: "stream", setting: "max-streams", metrics.openStreams)
    downloads = OpenStreams(
      maxCount: limits.downloads, noun: "download", setting: "max-downloads",
      metrics.openDownloads)
  }

  /// Returns the credential whose share of the limits a request counts in; nil for the owner.
  func credential(_ context: Context) -> String? {
    peer(context).flatMap { $0 == Requester.ownerID ? nil : $0 }
  }

  /// Adds the routes.
  public func add(to group: some RouterMethods<Context>) {
    let shortGroup = group.group().add(middleware: ProblemMiddleware())
    let group = shortGroup.group().add(middleware: OffEventLoop())
    let router = StoreRouter(group: group, shortGroup: shortGroup, routes: self)
    router.addHabits()
    router.addRecords()
    router.addSnoozes()
    router.addEntries()
    router.addSchedules()
    router.addViews()
    router.addPlan()
    router.addReceipts()
    router.addIntake()
    router.addDevice()
    router.addStatus()
    router.addExport()
    router.addImport()
    router.addEvents()
    router.addLive()
    router.addRebuild()
    SyncRoutes(routes: self).add(to: group)
  }
}
#endif
