import ArgumentParser
import Carillon
import CarillonAccess
import CarillonDocuments
import Foundation

/// The options that every verb takes.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store's directory (default: CARILLON_STORE, or else ~/.local/share/carillon).",
      valueName: "dir"), completion: .directory)
  var store: String?

  @Option(
    help: ArgumentHelp(
      "Use this time, such as 2026-11-23T17:00, in place of the system's clock.",
      valueName: "time"))
  var now: Given<InstantText>?

  @Option(
    help: ArgumentHelp(
      "The device's time zone, such as Europe/Berlin (default: that of TZ, or else the system's).",
      valueName: "tzid"))
  var zone: Given<ZoneName>?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print no notices, progress or confirmations.")
  var quiet = false
}

/// The values of the global options, from the parser or from ``init(_:among:)``.
struct GlobalValues {
  var store: String?
  var now: Given<InstantText>?
  var zone: Given<ZoneName>?
  var json = false
  var quiet = false
}

extension GlobalValues {
  /// Creates the values from what the parser read.
  init(_ options: GlobalOptions) {
    self.init(
      store: options.store, now: options.now, zone: options.zone, json: options.json,
      quiet: options.quiet)
  }

  /// Creates the values from arguments that are all global options, each given once.
  ///
  /// Returns nil for any other arguments. The parser then reads them, and reports what is wrong.
  init?(alone arguments: ArraySlice<String>) {
    var words: [String] = []
    self.init(arguments, among: &words)
    guard words.isEmpty else { return nil }
  }

  /// Creates the values from arguments that are global options, each given once, and words that are
  /// no options.
  ///
  /// Returns nil for any other arguments.
  init?(_ arguments: ArraySlice<String>, among words: inout [String]) {
    self.init()
    var rest = arguments
    while let argument = rest.popFirst() {
      switch argument {
      case "--json" where !json: json = true
      case "--quiet" where !quiet: quiet = true
      case "--store", "--now", "--zone":
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else { return nil }
        switch argument {
        case "--store" where store == nil: store = value
        case "--now" where now == nil: now = Given(argument: value)
        case "--zone" where zone == nil: zone = Given(argument: value)
        default: return nil
        }
      default:
        guard !argument.isEmpty, !argument.hasPrefix("-") else { return nil }
        words.append(argument)
      }
    }
  }
}

/// One call of a verb: its store, clock, time zone and output.
struct Call: Sendable {
  let output: Output
  let storeOptions: StoreOptions
  /// A warning about the value of `--now`, or nil.
  let clockWarning: String?
  private let place: StorePlace

  init(_ global: GlobalValues) throws {
    let zone = try global.zone.value(for: "--zone")?.zone ?? .device(or: CommandFailure.self)
    let base = StoreOptions()
    let fixed = try global.now.value(for: "--now")?.clock(in: zone, base.clock())
    clockWarning = fixed?.warning(for: "--now")
    let clock: @Sendable () -> Instant
    if let now = fixed?.instant { clock = { now } } else { clock = base.clock }
    let output = Output(
      isJSON: global.json, isQuiet: global.quiet, time: LocalTime(zone: zone, now: clock()),
      store: global.store)
    var storeOptions = StoreOptions(clock: clock, zone: { zone })
    // Notices go to standard error.
    storeOptions.setLog { output.note($0) }
    self.output = output
    self.storeOptions = storeOptions
    place = StorePlace(given: global.store)
  }

  var zone: TimeZone { output.time.zone }

  /// The store's directory.
  func directory() throws(CommandFailure) -> URL { try place.existing(or: CommandFailure.self) }

  /// The directory in which to create a store.
  func newDirectory() throws(CommandFailure) -> URL { try place.required(or: CommandFailure.self) }

  /// Opens the store, calls `body`, and closes it.
  ///
  /// - Parameters:
  ///   - mayLackKeys: Whether a sealed store is also opened without its keys.
  ///   - options: The options to open it with; nil for ``storeOptions``.
  func withStore<Result>(
    mayLackKeys: Bool = false, options: StoreOptions? = nil,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    try await withStore(at: try directory(), mayLackKeys: mayLackKeys, options: options, body)
  }

  /// The beginning of what a verb says of a store without its keys.
  static let lackOfKeys = "The store is sealed, and its keys are not here"

  /// Prints what a verb cannot show, if the store is sealed and its keys are not here.
  func noteLackOfKeys(in store: Store, _ hidden: String) {
    guard !store.hasContents else { return }
    output.note(
      "\(Self.lackOfKeys): \(hidden) cannot be shown. To bring the keys back: "
        + "\(output.carillon) recover")
  }

  /// Opens a store, calls `body`, and closes it.
  func withStore<Result>(
    at directory: URL, mayLackKeys: Bool = false, options: StoreOptions? = nil,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    var options = options ?? storeOptions
    options.mayLackKeys = mayLackKeys
    let store = try await naming(directory) {
      try await Store.open(at: directory, options: options)
    }
    return try await store.closing(after: body)
  }

  /// Requires that there is a store in a directory.
  ///
  /// - Throws: What opening it throws, such as `notFound`.
  func requireStore(at directory: URL) async throws {
    try await withStore(at: directory, mayLackKeys: true) { _ in }
  }

  /// Calls a function that opens the store in a directory.
  ///
  /// - Throws: If there is no store, `notFound` with the directory as it was given. Otherwise the
  ///   error of `body`.
  func naming<Result>(
    _ directory: URL, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as StoreError
      where error.code == .missingKeys && RemoteService.addresses(of: directory).count == 1
    {
      var failure = CommandFailure(store: error)
      // The peer is the service that the store has joined.
      failure.hint = failure.hint.replacing(" pair PEER", with: " pair")
      throw failure
    } catch let error as StoreError where error.code == .notFound {
      let foreign: String? =
        if case .foreignFile(let path) = error.reason {
          ": \(path) is not a file of Carillon's"
        } else {
          nil
        }
      let log = directory.appending(path: "log")
      if foreign == nil, FileManager.default.fileExists(atPath: log.path) {
        throw CommandFailure.notFound(
          "the store at \(directory.relativePath) has lost its log: there is no log/data.mdb",
          hint: "restore a backup in a new directory: carillon restore BACKUP DIR; or clone "
            + "another replica: carillon clone PEER DIR --replica NAME")
      }
      guard !RemoteService.hasJoin(directory) else {
        throw CommandFailure.notFound(
          "there is no store at \(directory.relativePath) yet: a join was interrupted there",
          hint: "to go on, join again with the same link; or give another directory")
      }
      var isDirectory: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: directory.path, isDirectory: &isDirectory)
      throw CommandFailure.notFound(
        "there is no store at \(directory.relativePath)"
          + (isThere && !isDirectory.boolValue ? ", which is a file" : foreign ?? ""),
        hint: (foreign == nil ? "" : "move that file elsewhere, or ")
          + "give another directory, or create a store: carillon init --replica NAME --store DIR")
    }
  }
}
