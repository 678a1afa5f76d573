#if Service
import Foundation
import Testing

/// The service over TLS.
@Suite(.enabled(if: Shell.has("curl") && Shell.has("openssl"), "curl or openssl is not installed"))
struct TLSTests {
  /// Makes a certificate for this computer that signs itself.
  func makeCertificate(_ name: String, in bench: ServiceBench) async throws {
    let made = try await Shell.run(
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 2 \
        -keyout new.key -out new.pem -subj /CN=\(name) \
        -addext subjectAltName=IP:127.0.0.1,DNS:localhost
      mv new.key tls.key
      mv new.pem tls.pem
      """, in: bench)
    try #require(made.status == 0, "\(made)")
  }

  private func subject(_ port: Int, in bench: ServiceBench) async throws -> String {
    try await Shell.run(
      "openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>/dev/null | "
        + "openssl x509 -noout -subject", in: bench
    ).output
  }

  @Test("Requests and streams go over TLS, and a session's cookie is only for it")
  func requests() async throws {
    let bench = try await ServiceBench.make()
    try await makeCertificate("first", in: bench)
    let service = try await bench.serve(
      "--tls-certificate", bench.path("tls.pem"), "--tls-key", bench.path("tls.key"))
    #expect(service.line.contains(" at https://127.0.0.1:"))
    let curl = "curl --silent --show-error --max-time 20 --cacert tls.pem"
    let address = "https://127.0.0.1:\(service.port)"
    let variables = ["TOKEN": service.token]
    let listed = try await Shell.run(
      "\(curl) -H \"Authorization: Bearer $TOKEN\" \(address)/v1/events", in: bench, variables)
    #expect(listed.output == (try await bench.run("log", "--json").output), "\(listed)")
    let session = try await Shell.run(
      "\(curl) -i -X POST -H \"Authorization: Bearer $TOKEN\" \(address)/v1/session",
      in: bench, variables)
    #expect(session.output.contains("; Secure"), "\(session)")
    let stream = try await Shell.run(
      """
      \(curl) -N -H "Authorization: Bearer $TOKEN" -H 'Accept: text/event-stream' \
        \(address)/v1/events > events &
      until grep -q '^id: 1$' events; do sleep 0.05; done
      carillon habit add Walk
      until grep -q '^id: 2$' events; do sleep 0.05; done
      kill $!
      """, in: bench, variables)
    #expect(stream.status == 0, "\(stream)")
    // Neither plain requests nor pages of the plain scheme are accepted.
    let plain = try service.connect()
    plain.send(service.text("GET", "/livez", []))
    #expect(await plain.head() == nil)
    let origin = try await Shell.run(
      "\(curl) -H 'Origin: http://127.0.0.1:\(service.port)' \(address)/livez", in: bench)
    #expect(origin.output.contains("forbidden"), "\(origin)")
  }

  @Test("A changed certificate is used without a restart, and a wrong one is not")
  func reload() async throws {
    let bench = try await ServiceBench.make()
    try await makeCertificate("first", in: bench)
    let service = try await bench.serve(
      "--tls-certificate", bench.path("tls.pem"), "--tls-key", bench.path("tls.key"))
    #expect(try await subject(service.port, in: bench).contains("first"))
    try await makeCertificate("second", in: bench)
    while try await !subject(service.port, in: bench).contains("second") {
      try await Task.sleep(for: .milliseconds(200))
    }
    try bench.write("nonsense", to: "tls.pem")
    while !service.program.errors.contains("the files of the certificate cannot be used") {
      try await Task.sleep(for: .milliseconds(200))
    }
    let said = "\(bench.path("tls.pem")) has no certificate"
    #expect(service.program.errors.contains(said), "\(service.program.errors)")
    #expect(try await subject(service.port, in: bench).contains("second"))
    try FileManager.default.removeItem(atPath: bench.path("tls.key"))
    try #require(mkfifo(bench.path("tls.key"), 0o600) == 0)
    while !service.program.errors.contains("\(bench.path("tls.key")) is not a regular file") {
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(try await service.stop().status == 0)
  }

  /// The pin of the key of a certificate, as openssl computes it.
  private func pin(in bench: ServiceBench) async throws -> String {
    let made = try await Shell.run(
      "openssl x509 -in tls.pem -pubkey -noout | openssl pkey -pubin -outform der | "
        + "openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '='", in: bench)
    try #require(made.status == 0 && made.output.count == 43, "\(made)")
    return made.output
  }

  @Test("A link has the pin of the key, also after the key has changed")
  func pins() async throws {
    let bench = try await ServiceBench.make()
    try await makeCertificate("first", in: bench)
    let service = try await bench.serve(
      "--tls-certificate", bench.path("tls.pem"), "--tls-key", bench.path("tls.key"),
      "--names", "home.example,localhost", "--first-request-seconds", "1")
    #expect(service.line.contains(" at https://home.example:"))
    // The certificate has localhost and 127.0.0.1 only.
    let errors = service.program.errors
    #expect(errors.contains("the certificate is not for a name of the service"), "\(errors)")
    #expect(errors.contains("home.example") && !errors.contains("localhost"))
    let first = try await pin(in: bench)
    let invited = try await bench.run("invite", "--role", "phone", "--json")
    #expect(invited.output.contains("&key=\(first)\""), "\(invited)")
    #expect(invited.errors.isEmpty)
    // A connection without a handshake is closed, too.
    #expect(await (try service.connect()).line() == nil)
    try await makeCertificate("second", in: bench)
    let second = try await pin(in: bench)
    while !service.program.errors.contains("the certificate has another key") {
      try await Task.sleep(for: .milliseconds(100))
    }
    let again = try await bench.run("invite", "--role", "phone", "--json")
    #expect(first != second && again.output.contains("&key=\(second)\""), "\(again)")
  }

  @Test("A pipe or a directory in place of a file is named at once; a link to a file can be used")
  func kinds() async throws {
    let bench = try await ServiceBench.make()
    try await makeCertificate("first", in: bench)
    let (certificate, key) = (bench.path("tls.pem"), bench.path("tls.key"))
    try #require(mkfifo(bench.path("pipe"), 0o600) == 0)
    for wrong in [bench.path("pipe"), bench.directory.path] {
      for files in [(wrong, key), (certificate, wrong)] {
        for flags in [["--check-config"], []] {
          let ended = try await bench.failing(
            ["--listen", "127.0.0.1:0", "--tls-certificate", files.0, "--tls-key", files.1] + flags)
          #expect(ended.status == 65, "\(ended)")
          #expect(ended.errors.contains("\(wrong) is not a regular file"), "\(ended)")
        }
      }
    }
    symlink(key, bench.path("link.key"))
    _ = try await bench.serve("--tls-certificate", certificate, "--tls-key", bench.path("link.key"))
  }

  @Test("A file that is no certificate or no key, or does not belong to the other, is named")
  func files() async throws {
    let bench = try await ServiceBench.make()
    try await makeCertificate("first", in: bench)
    let (certificate, key) = (bench.path("tls.pem"), bench.path("tls.key"))
    let other = try bench.write(try String(contentsOfFile: key, encoding: .utf8), to: "other.key")
    try await makeCertificate("second", in: bench)
    for (files, said) in [
      ((key, key), "\(key) has no certificate"), ((certificate, certificate), "no private key"),
      ((certificate, other), "the private key in \(other) does not belong"),
    ] {
      let ended = try await bench.failing(
        "--listen", "127.0.0.1:0", "--tls-certificate", files.0, "--tls-key", files.1)
      #expect(ended.status == 65 && ended.errors.contains(said), "\(ended)")
      #expect(ended.errors.split(separator: "\n").count == 2, "\(ended)")
    }
  }
}
#endif
