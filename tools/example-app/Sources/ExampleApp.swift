#if Service
import Carillon
import CarillonService
import Foundation
import Hummingbird

/// A service for many people, one store each.
///
/// `example-app serve DIRECTORY` serves the people of `DIRECTORY/people.json`, such as
/// `{"secret of Ann": "ann"}`, until SIGTERM. `example-app measure DIRECTORY [PEOPLE [OPEN]]`
/// prints what open stores take.
@main
struct ExampleApp {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(EXIT_FAILURE)
    }
  }

  private static func run(_ arguments: [String]) async throws {
    guard arguments.count >= 2 else { throw Failure.usage }
    let directory = URL(filePath: arguments[1], directoryHint: .isDirectory)
    let numbers = try arguments.dropFirst(2).map { text in
      guard let number = Int(text), number >= 0 else { throw Failure.usage }
      return number
    }
    switch arguments[0] {
    case "serve": try await serve(directory, port: numbers.first ?? 8_788)
    case "measure":
      try await Measurement(
        directory, personCount: numbers.first ?? 10_000, openCount: numbers.dropFirst().first ?? 200
      ).run()
    default: throw Failure.usage
    }
  }

  private enum Failure: Error, CustomStringConvertible {
    case usage
    case people(URL)

    var description: String {
      switch self {
      case .usage:
        "usage: example-app serve DIRECTORY [PORT], "
          + "or example-app measure DIRECTORY [PEOPLE [OPEN]]"
      case .people(let file):
        #"\#(file.path) must have the people, such as {"secret of Ann": "ann"}"#
      }
    }
  }

  private static func serve(_ directory: URL, port: Int) async throws {
    let file = directory.appending(path: "people.json")
    guard let data = try? Data(contentsOf: file),
      let people = try? JSONDecoder().decode([String: String].self, from: data)
    else { throw Failure.people(file) }
    let pool = pool(in: directory)
    let app = Application(
      router: router(pool, people),
      configuration: .init(address: .hostname("127.0.0.1", port: port)), services: [pool])
    try await app.runService()
  }

  /// The stores of all people, each in a directory with the person's name.
  static func pool(in directory: URL, maxCount: Int = 200) -> StorePool<String> {
    StorePool(maxCount: maxCount) { person in
      let place = directory.appending(path: person)
      do {
        return try await Store.open(at: place)
      } catch let error as StoreError where error.code == .notFound {
        return try await Store.create(at: place, replica: "server", role: .server)
      }
    }
  }

  /// The routes of a store, for the person of the request's token.
  private static func router(
    _ pool: StorePool<String>, _ people: [String: String]
  ) -> Router<PersonContext> {
    let router = Router(context: PersonContext.self, options: .autoGenerateHeadEndpoints)
    let health = HealthRoutes<PersonContext>()
    health.add(to: router)
    health.addMetrics(to: router)
    let access = AccessCheck<PersonContext> { request, context in
      context.person = request.headers[.authorization].flatMap { people[String($0.dropFirst(7))] }
      return context.person != nil
    }
    StoreRoutes { _, context in try await pool.store(of: context.person ?? "") }
      .add(to: router.group("v1").add(middleware: access))
    return router
  }
}

/// A request, with the person who sent it.
struct PersonContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var person: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
  }
}
#else
@main
struct ExampleApp {
  static func main() { print("example-app was built without the trait Service") }
}
#endif
