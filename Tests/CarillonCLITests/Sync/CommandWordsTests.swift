import CarillonDocuments
import Testing

@testable import CarillonCLI

struct CommandWordsTests {
  @Test(
    "A command is split into words as in a shell",
    arguments: [
      ("ssh", ["ssh"]), ("", []), ("  ssh\t-p  22 ", ["ssh", "-p", "22"]),
      ("ssh -i '/a b/my key'", ["ssh", "-i", "/a b/my key"]),
      (#"ssh -i "/a b/my \"key\" \n""#, ["ssh", "-i", #"/a b/my "key" \n"#]),
      (#"/a\ b/it\'s "" ''x"#, ["/a b/it's", "", "x"]), (#"'a\b'\"#, [#"a\b\"#]),
    ])
  func split(text: String, words: [String]) throws {
    #expect(try CommandWords.split(text, of: "CARILLON_SSH") == words)
  }

  @Test("A quote that is not closed is refused", arguments: ["ssh -i 'a", "ssh \"", "\"a\\\""])
  func open(text: String) {
    #expect(throws: CommandFailure.self) { try CommandWords.split(text, of: "CARILLON_SSH") }
  }

  @Test("Quoted words split into the same words, whatever they contain")
  func quoted() throws {
    let words = ["", "a b", "it's", "\"", "\\", "$HOME", "`x`", "%41", "ü", "-o", "a=b", "*"]
    #expect(try CommandWords.split(ShellWord.joined(words), of: "CARILLON_SSH") == words)
    let line = "a\n'b"
    #expect(try CommandWords.split(ShellWord.verbatim(line), of: "CARILLON_SSH") == [line])
  }
}
