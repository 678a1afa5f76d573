import CarillonModel
import Testing

@testable import CarillonLog

/// The erasures that a hub's log keeps in mind.
struct ErasureSearchTests {
  private static func event(_ number: UInt64) -> EventID { EventID(words: (number << 16, 1, 2, 3)) }

  private static let habit = HabitID(high: 1, low: 2)

  private static func search(_ scopes: [Erasure.Scope]) -> ErasureSearch {
    var search = ErasureSearch()
    for (number, scope) in scopes.enumerated() {
      search.add(Erasure(scope), from: event(UInt64(number) + 1))
    }
    return search
  }

  @Test("A search is read from its bytes, and from none that end within an erasure")
  func bytes() throws {
    let search = Self.search([
      .habit(Self.habit), .receipts(of: .random(), upTo: Self.event(9)),
      .receipts(of: .random(), upTo: nil), .items(source: "feed", upTo: nil),
      .items(source: String(repeating: "ö", count: 100), upTo: Self.event(7)),
    ])
    let whole = search.bytes
    #expect(ErasureSearch(bytes: whole) == search)
    let counts = (0..<whole.count).compactMap {
      ErasureSearch(bytes: Array(whole.prefix($0)))?.entries.count
    }
    #expect(counts == [0, 1, 2, 3, 4])
  }

  @Test("The bytes of a build that knew fewer kinds start a new search")
  func olderBuild() {
    var bytes = ErasureSearch().bytes
    #expect(ErasureSearch(bytes: bytes)?.isDone == true)
    bytes[0] -= 1
    #expect(ErasureSearch(bytes: bytes) == nil)
    bytes[0] += 2
    #expect(ErasureSearch(bytes: bytes)?.isDone == true)
  }

  @Test("An erasure that another one includes starts no search, and a wider one replaces it")
  func wider() {
    var search = Self.search([
      .receipts(of: Self.habit, upTo: Self.event(5)), .items(source: "feed", upTo: nil),
    ])
    #expect(!search.isDone)
    search.finish()
    search.add(Erasure(.receipts(of: Self.habit, upTo: Self.event(4))), from: Self.event(20))
    search.add(Erasure(.items(source: "feed", upTo: Self.event(4))), from: Self.event(20))
    #expect(search.isDone && search.entries.count == 2)
    search.add(Erasure(.habit(Self.habit)), from: Self.event(21))
    #expect(!search.isDone)
    #expect(search.entries.map(\.event) == [Self.event(2), Self.event(21)])
  }

  @Test("An erasure up to an event covers no later one")
  func upTo() {
    let search = Self.search([.items(source: "feed", upTo: Self.event(5))])
    let items = Payload.itemObserved(ItemObserved(source: "feed", items: []))
    #expect(search.erasure(covering: items, of: Self.event(5)) == Self.event(1))
    #expect(search.erasure(covering: items, of: Self.event(6)) == nil)
  }

  @Test("Of more erasures than are kept, the first ones are forgotten")
  func limit() {
    let scopes = (0...UInt64(ErasureSearch.maxCount)).map {
      Erasure.Scope.habit(HabitID(high: 7, low: $0))
    }
    let search = Self.search(scopes)
    #expect(search.entries.map(\.erasure.scope) == Array(scopes.dropFirst()))
  }
}
