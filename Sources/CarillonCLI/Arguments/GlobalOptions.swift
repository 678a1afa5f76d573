import ArgumentParser
import Carillon
import Foundation

/// What every verb takes.
struct GlobalOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The store's directory; by default CARILLON_STORE.", valueName: "dir"))
  var store: String?

  @Option(help: ArgumentHelp("The clock of this call, in ISO 8601.", valueName: "instant"))
  var now: Given<InstantText>?

  @Option(help: ArgumentHelp("The device's time zone; by default the system's.", valueName: "tzid"))
  var zone: Given<ZoneName>?

  @Flag(help: "Answer in JSON.")
  var json = false

  @Flag(help: "Say nothing but answers and errors.")
  var quiet = false
}

/// The values of the global options, however they were read.
struct GlobalValues {
  var store: String?
  var now: Given<InstantText>?
  var zone: Given<ZoneName>?
  var json = false
  var quiet = false
}

extension GlobalValues {
  /// What the parser read.
  init(_ options: GlobalOptions) {
    self.init(
      store: options.store, now: options.now, zone: options.zone, json: options.json,
      quiet: options.quiet)
  }

  /// Takes arguments that are global options, each given once; nil leaves all others to the parser,
  /// which says what is wrong with them.
  init?(alone arguments: ArraySlice<String>) {
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
      default: return nil
      }
    }
  }
}

/// One call of a verb: where its store is, its clock and zone, and where its answer goes.
struct Call: Sendable {
  let output: Output
  let storeOptions: StoreOptions
  private let storePath: String?

  init(_ global: GlobalValues) throws {
    let zone = try global.zone.value(for: "--zone")?.zone ?? .current
    let fixed = try global.now.value(for: "--now")?.clock(in: zone)
    let base = StoreOptions()
    let clock: @Sendable () -> Instant
    if let fixed { clock = { fixed } } else { clock = base.clock }
    let output = Output(
      isJSON: global.json, isQuiet: global.quiet, time: LocalTime(zone: zone, now: clock()),
      store: global.store)
    var storeOptions = StoreOptions(clock: clock, zone: { zone })
    // Where standard error is gone, nobody reads notices.
    storeOptions.setLog { output.note($0) }
    self.output = output
    self.storeOptions = storeOptions
    storePath = global.store ?? getenv("CARILLON_STORE").map { String(cString: $0) }
  }

  var zone: TimeZone { output.time.zone }

  /// The store's directory.
  func directory() throws(CommandFailure) -> URL {
    guard let storePath, !storePath.isEmpty else {
      throw .usage("no store is named", hint: "give --store DIR, or set CARILLON_STORE")
    }
    return URL(filePath: storePath, directoryHint: .isDirectory)
  }

  /// Opens the store, calls `body`, and closes it.
  func withStore<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
    try await withStore(at: try directory(), body)
  }

  /// Opens a store, calls `body`, and closes it.
  func withStore<Result>(
    at directory: URL, _ body: (Store) async throws -> Result
  ) async throws -> Result {
    let store = try await open(directory)
    do {
      let result = try await body(store)
      await store.close()
      return result
    } catch {
      await store.close()
      throw error
    }
  }

  private func open(_ directory: URL) async throws -> Store {
    try await naming(directory) { try await Store.open(at: directory, options: storeOptions) }
  }

  /// Runs what opens a store by itself; where there is none, the directory is named as it was
  /// given.
  func naming<Result>(
    _ directory: URL, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as StoreError where error.code == .notFound {
      let foreign = error.foreignFile.map { ": \($0) is a file that Carillon did not make" }
      let log = directory.appending(path: "log")
      if foreign == nil, FileManager.default.fileExists(atPath: log.path) {
        throw CommandFailure.notFound(
          "the store at \(directory.relativePath) has lost its log: there is no log/data.mdb",
          hint: "put the file back from a backup, or make a new replica from another one")
      }
      var isDirectory: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: directory.path, isDirectory: &isDirectory)
      throw CommandFailure.notFound(
        "there is no store at \(directory.relativePath)"
          + (isThere && !isDirectory.boolValue ? ", which is a file" : foreign ?? ""),
        hint: (foreign == nil ? "" : "move that file elsewhere, or ")
          + "name another directory, or make a store: carillon init --replica NAME --store DIR")
    }
  }
}
