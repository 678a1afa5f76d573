import CarillonDocuments
import Testing

@testable import CarillonCLI

struct RemoteAddressTests {
  @Test(
    "An address has user, host, port and path",
    arguments: [
      ("ssh://host/data/store", "host", nil, "/data/store"),
      ("ssh://me@host:2222/data/my%20store", "me@host", 2222, "/data/my store"),
      ("ssh://host/~/store", "host", nil, "./store"),
      ("ssh://host/~/-store", "host", nil, "./-store"),
      ("ssh://host/~", "host", nil, "./"),
      ("ssh://host/~other/store", "host", nil, "/~other/store"),
      ("ssh://[::1]:22/store", "::1", 22, "/store"),
      ("ssh://me@[fe80::1%25eth0]/store", "me@fe80::1%25eth0", nil, "/store"),
    ] as [(String, String, Int?, String)])
  func parts(text: String, destination: String, port: Int?, path: String) throws {
    let address = try RemoteAddress(text)
    #expect(address.destination == destination)
    #expect(address.port == port)
    #expect(address.path == path)
  }

  @Test(
    "An address that ssh would misread is refused",
    arguments: [
      "ssh://", "ssh://host", "ssh:///path", "ssh://host/", "ssh://-oProxyCommand=x/path",
      "ssh://-l@host/path", "ssh://@host/path", "ssh://host:/path", "ssh://host:0/path",
      "ssh://host:65536/path", "ssh://host:2x/path", "ssh://[::1/path", "ssh://[::1]x/path",
      "ssh://[-x]/path", "ssh://ho st/path", "ssh://ho\nst/path", "ssh://host/a%2", "ssh://h/%00",
      "ssh://a@b@c/path",
    ])
  func refused(text: String) {
    let failure = #expect(throws: CommandFailure.self) { try RemoteAddress(text) }
    #expect(failure?.status == .usage)
    #expect(failure?.hint.contains("ssh://[user@]host[:port]/path") == true)
  }

  @Test(
    "The path of an address is refused with what is wrong with it",
    arguments: [
      ("ssh://host/x%00y", "%00"), ("ssh://host/a%2", "two hexadecimal digits"),
      ("ssh://host/%ff", "UTF-8"),
    ])
  func path(text: String, problem: String) {
    let failure = #expect(throws: CommandFailure.self) { try RemoteAddress(text) }
    #expect(failure?.message.contains(problem) == true, "\(String(describing: failure))")
  }

  @Test("The arguments of ssh are options, the destination, and one command with a quoted path")
  func words() throws {
    let address = try RemoteAddress("ssh://me@host:22/it's/$(here)")
    #expect(
      address.arguments(program: "carillon") == [
        "-p", "22", "me@host", #"carillon sync --stdio '/it'\''s/$(here)'"#,
      ])
  }
}
