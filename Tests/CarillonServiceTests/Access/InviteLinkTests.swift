#if Service
import Carillon
import CarillonAccess
import Foundation
import Testing

/// The link of an invitation, as people copy it.
struct InviteLinkTests {
  private static let code = "AAECAwQFBgcICQoLDA0ODw"
  private static let pin = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

  @Test(
    "A link is printed as it was read",
    arguments: [
      "https://home.example:8787/#invite=\(code)&key=\(pin)",
      "https://[2001:db8::1]:8787/#invite=\(code)&key=\(pin)",
      "https://habits.example/#invite=\(code)&key=public",
      "http://127.0.0.1:8787/#invite=\(code)", "http://[::1]:8787/#invite=\(code)",
      "https://home.example:8787/#sealed=\(code)&secret=\(code)&key=\(pin)",
    ])
  func sameText(_ text: String) throws {
    let link = try InviteLink(text)
    #expect(link.description == text)
    #expect(link.code == Self.code && (link.secret != nil) == text.contains("sealed"))
    #expect(link.key == (text.contains(Self.pin) ? Self.pin : nil))
    #expect(link.address.absoluteString == text.prefix { $0 != "#" })
  }

  @Test("A scheme in capitals and a missing slash are accepted")
  func lenient() throws {
    let link = try InviteLink("HTTPS://home.example:8787#invite=\(Self.code)&key=\(Self.pin)")
    #expect(link.description == "https://home.example:8787/#invite=\(Self.code)&key=\(Self.pin)")
  }

  @Test(
    "A link that is cut or is none is refused with what is wrong, and without its code",
    arguments: [
      ("https://home.example:8787/#invite=\(code)", "ends before its key"),
      ("https://home.example:8787/#invite=\(code)&", "is cut after an &"),
      ("https://home.example:8787/#invite=\(code)&key", "is cut after an &"),
      ("https://home.example:8787/#invite=\(code)&key=\(pin.dropLast())", "a key of 42 characters"),
      ("https://home.example:8787/#invite=\(code.dropLast(2))&key=\(pin)", "a code of 20"),
      ("https://home.example:8787/#sealed=\(code)&key=\(pin)", "has no secret"),
      ("https://home.example:8787/#sealed=\(code)&secret=x&key=\(pin)", "has no secret"),
      ("https://home.example:8787/", "ends before its invitation"),
      ("https://home.example:8787/#", "ends before its invitation"),
      ("https://home.example:8787/#key=\(pin)", "has no invitation"),
      ("https://home.example:8787/#invite=\(code)&invite=\(code)&key=\(pin)", "two values"),
      ("https://home.example:8787/ #invite=\(code)&key=\(pin)", "a space or a line break at 27"),
      ("https://höme.example/#invite=\(code)&key=\(pin)", "a character at 10"),
      ("http://home.example:8787/#invite=\(code)", "https:// is required"),
      ("http://127.0.0.1:8787/#invite=\(code)&key=\(pin)", "does not have"),
      ("ssh://home.example/#invite=\(code)&key=\(pin)", "does not begin with https://"),
      ("home.example:8787/#invite=\(code)&key=\(pin)", "does not begin with https://"),
      ("https:///#invite=\(code)&key=\(pin)", "no address"),
      ("https://user@home.example/#invite=\(code)&key=\(pin)", "no address"),
      ("https://home.example:99999/#invite=\(code)&key=\(pin)", "port 99999"),
      ("https://home.example/?a#invite=\(code)&key=\(pin)", "no address"),
      ("", "does not begin with https://"),
      (String(repeating: "x", count: 3_000), "more than 2000 bytes"),
    ])
  func refused(_ text: String, _ problem: String) {
    let error = #expect(throws: StoreError.self) { try InviteLink(text) }
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(Self.code.prefix(12)) == false)
    #expect(error?.hint?.contains("single quotes") == true)
  }
}
#endif
