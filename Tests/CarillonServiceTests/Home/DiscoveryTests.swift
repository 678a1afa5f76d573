#if Service
import Foundation
import Testing

/// The announcement of the service in the local network.
@Suite struct DiscoveryTests {
  @Test("An address that others cannot reach is not announced")
  func loopback() async throws {
    let bench = try await ServiceBench.make()
    let ended = try await bench.failing("--listen", "127.0.0.1:0", "--discover")
    #expect(ended.status == 64 && ended.output.isEmpty, "\(ended)")
    #expect(ended.errors.contains("--discover: other computers cannot reach 127.0.0.1"))
    let unclear = try await bench.failing(
      "--listen", "127.0.0.1:0", environment: ["CARILLON_DISCOVER": "1"])
    #expect(unclear.status == 64 && unclear.errors.contains("yes or no"), "\(unclear)")
  }

  @Test(
    "Without Avahi, a service that shall be announced ends with the reason",
    .enabled(if: Shell.has("openssl"), "openssl is not installed"))
  func noAvahi() async throws {
    let bench = try await ServiceBench.make()
    try await makeCertificate(in: bench)
    let ended = try await bench.failing(
      "--listen", "0.0.0.0:0", "--tls-certificate", bench.path("tls.pem"), "--tls-key",
      bench.path("tls.key"), "--discover",
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"])
    #expect(ended.status == 69 && ended.output.isEmpty, "\(ended)")
    #expect(ended.errors.split(separator: "\n").count == 2, "\(ended)")
    #expect(ended.errors.contains("error: Avahi does not announce the service: "), "\(ended)")
    #expect(ended.errors.contains("hint: install avahi-daemon"), "\(ended)")
  }

  @Test(
    "Avahi announces the type, the port and the path, until the service ends or is killed",
    .enabled("avahi, dbus-daemon or openssl is not installed, or no network can be made") {
      await canAnnounce()
    })
  func announced() async throws {
    let bench = try await ServiceBench.make()
    try await makeCertificate(in: bench)
    try bench.write(Self.bus.replacing("DIRECTORY", with: bench.directory.path), to: "bus.conf")
    try bench.write(Self.avahi, to: "avahi.conf")
    try bench.write(Self.script, to: "script")
    let ended = try await Shell.run(
      "timeout 240 \(Self.network) sh -eu script", in: bench,
      ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(bench.path("bus"))"])
    #expect(ended.status == 0, "\(ended)")
    let port = try #require(ended.output.firstMatch(of: /Serving .*:(\d+)\//)?.output.1, "\(ended)")
    #expect(
      ended.output.contains(": _carillon._tcp, port \(port), path=/\n"), "\(ended)")
    let browsed = ended.output.split(separator: "\n").filter { $0.hasPrefix("=") }
    #expect(browsed.count == 1, "\(ended)")
    for line in browsed {
      #expect(line.contains(";_carillon._tcp;local;home.local;"), "\(line)")
      #expect(line.hasSuffix(";\(port);\"path=/\""), "\(line)")
    }
    #expect(ended.output.hasSuffix("ended\nkilled\n"), "\(ended)")
  }

  // MARK: -

  /// A network and processes of its own, which end with the script.
  private static let network =
    "unshare --net --mount --pid --fork --mount-proc --kill-child"

  private static func canAnnounce() async -> Bool {
    let programs = ["avahi-publish", "avahi-browse", "dbus-daemon", "openssl", "unshare"]
    guard programs.allSatisfy(Shell.has),
      FileManager.default.isExecutableFile(atPath: "/usr/sbin/avahi-daemon"),
      let bench = try? await ServiceBench.make(),
      let tried = try? await Shell.run("\(network) mount -t tmpfs none /run", in: bench)
    else { return false }
    return tried.status == 0
  }

  private func makeCertificate(in bench: ServiceBench) async throws {
    let made = try await Shell.run(
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 2 \
        -keyout tls.key -out tls.pem -subj /CN=home
      """, in: bench)
    try #require(made.status == 0, "\(made)")
  }

  private static let bus = """
    <busconfig>
      <type>system</type>
      <listen>unix:path=DIRECTORY/bus</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow own="*"/>
        <allow user="*"/>
        <allow send_type="method_call"/>
        <allow send_type="signal"/>
        <allow send_requested_reply="true" send_type="method_return"/>
        <allow send_requested_reply="true" send_type="error"/>
        <allow receive_type="method_call"/>
        <allow receive_type="signal"/>
        <allow receive_requested_reply="true" receive_type="method_return"/>
        <allow receive_requested_reply="true" receive_type="error"/>
      </policy>
    </busconfig>
    """

  private static let avahi = """
    [server]
    host-name=home
    use-ipv6=no
    allow-interfaces=lo
    [publish]
    publish-workstation=no
    publish-hinfo=no
    """

  /// Serves, and lists what is announced; then again, after the first service was stopped and while
  /// the second one is killed.
  private static let script = #"""
    mount -t tmpfs none /run
    python3 -c 'import fcntl, socket, struct
    fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 0x49))'
    dbus-daemon --config-file=bus.conf --nofork --nopidfile 2>bus.log &
    until [ -S bus ]; do sleep 0.05; done
    /usr/sbin/avahi-daemon -f avahi.conf --no-drop-root --no-chroot 2>avahi.log &
    daemon=$!
    until grep -q 'startup complete' avahi.log; do kill -0 $daemon; sleep 0.05; done
    browse() { avahi-browse --parsable --resolve --terminate _carillon._tcp; }
    serve() {
      CARILLON_TLS_CERTIFICATE=tls.pem CARILLON_TLS_KEY=tls.key \
        carillon-serve --listen 0.0.0.0:0 --discover >out &
      service=$!
      until grep -q Announced out; do kill -0 $service; sleep 0.05; done
    }
    serve
    cat out
    browse
    kill $service
    wait $service
    while browse | grep -q '^='; do sleep 0.1; done
    echo ended
    serve
    browse | sed 's/^=/killed: =/' >&2
    kill -9 $service
    while browse | grep -q '^='; do sleep 0.1; done
    echo killed
    """#
}
#endif
