#if Service
import CarillonModel
import CarillonPostgres
import Testing

/// Texts that name a database, before libpq connects with them.
struct ConnectionStringTests {
  /// URLs in which libpq finds parts of a password elsewhere, or an error that it would repeat.
  static let misread = [
    "postgres://hub:SEC%zzRET@h/c", "postgres://hub:SEC%00RET@h/c",
    "postgres://h/c?password=SEC%zzRET", "postgres://hub:SECRET@[::1/c",
    "postgres://hub:SECRET@[::1]x/c", "postgres://hub:SEC/RET@h/c", "postgres://hub:SECRET/c",
    "postgres://hub:12/RET@h/c", "postgres://hub:SEC@RET@h/c", "postgres://h/c?SECRET",
  ]

  @Test("A URL is refused without any part of it if libpq would repeat a part", arguments: misread)
  func invalid(_ url: String) throws {
    for use in [{ try ConnectionString.check($0) }, { _ = try PostgresHub($0) }]
      as [(String) throws -> Void]
    {
      let error = try #require(throws: LogError.self) { try use(url) }
      let text = error.message + (error.hint ?? "")
      #expect(error.code == .io && text.contains("percent-encode"), "\(text)")
      #expect(!text.contains("SEC") && !text.contains("RET"), "\(text)")
    }
  }

  @Test(
    "URLs with several hosts, ports, sockets and encoded characters are accepted",
    arguments: [
      "postgres:///c", "postgresql://h", "postgres://me:a%40b%2F%3F@h:5433/c?sslmode=require",
      "postgres://h1:1,h2:2/c", "postgres://h1,h2/c?port=1,2", "postgres://[::1]:5432/c",
      "postgres://u:a:b?c@h/c", "postgres:///c?host=@name&user=a@b", "host=/run user=me",
    ])
  func valid(_ url: String) throws { try ConnectionString.check(url) }

  @Test("Keywords of libpq are found in a text, also with blanks, and others are not")
  func keywords() {
    for text in ["host=h password=x", " dbname = 'c'", "path PassFile=x password='x"] {
      #expect(ConnectionString.hasKeyword(text), "\(text)")
    }
    for text in ["", "hub", "a=b", "./host=h", "/data/host=h", "password", "hub.sqlite"] {
      #expect(!ConnectionString.hasKeyword(text), "\(text)")
    }
  }
}
#endif
