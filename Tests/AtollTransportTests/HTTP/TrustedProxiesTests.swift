#if Sync
import AtollTransport
import TestThreads
import Testing

@Suite(.computing) struct TrustedProxiesTests {
  private static func proxies(_ header: TrustedProxies.Header) -> TrustedProxies {
    TrustedProxies(
      ["127.0.0.1", "10.0.0.0/8", "fd00::/8"].compactMap { IPNetwork($0) }, header: header)
  }

  @Test(arguments: [
    ([], "127.0.0.1"), ([""], "127.0.0.1"), (["198.51.100.7"], "198.51.100.7"),
    // What the client has sent comes first.
    (["9.9.9.9, 198.51.100.7"], "198.51.100.7"),
    (["198.51.100.7, 10.1.2.3"], "198.51.100.7"),
    (["9.9.9.9, 198.51.100.7 ,10.1.2.3,\t10.1.2.4"], "198.51.100.7"),
    (["9.9.9.9", "198.51.100.7", "10.1.2.3"], "198.51.100.7"),
    (["198.51.100.7", "9.9.9.9"], "9.9.9.9"), (["10.9.9.9, 10.1.2.3"], "10.9.9.9"),
    (["2001:db8::7, fd00::1"], "2001:db8::7"), (["2001:DB8:0::7"], "2001:db8::7"),
    (["::ffff:198.51.100.7"], "198.51.100.7"), (["198.51.100.7:4711"], "198.51.100.7"),
    (["[2001:db8::7]:4711, [fd00::1]"], "2001:db8::7"), ([",198.51.100.7,,"], "198.51.100.7"),
    // What is no address is the proxy's fault.
    (["198.51.100.7, unknown"], "127.0.0.1"), (["198.51.100.7, 10.1.2"], "127.0.0.1"),
    (["unknown, 198.51.100.7"], "198.51.100.7"), (["198.51.100.7, [fd00::1"], "127.0.0.1"),
    (["198.51.100.7, [fd00::1]x"], "127.0.0.1"), (["198.51.100.7:"], "127.0.0.1"),
    (["fe80::1%eth0"], "127.0.0.1"), (["[198.51.100.7]"], "127.0.0.1"),
    (["198.51.100.7 198.51.100.8"], "127.0.0.1"), (["\"198.51.100.7\""], "127.0.0.1"),
    ([String(repeating: "10.0.0.1,", count: 32)], "10.0.0.1"),
    (["198.51.100.7," + String(repeating: "10.0.0.1,", count: 32)], "198.51.100.7"),
    // So many stand in no row, and each costs something.
    ([String(repeating: "10.0.0.1,", count: 33)], "127.0.0.1"),
    ([String(repeating: "10.0.0.1,", count: 100_000)], "127.0.0.1"),
    (["198.51.100.7"] + [String](repeating: "10.0.0.1", count: 33), "127.0.0.1"),
  ])
  func theClientIsTheLastThatIsNoProxy(values: [String], client: String) {
    let proxies = Self.proxies(.xForwardedFor)
    #expect(proxies.client(peer: "127.0.0.1", values: values) == client)
    #expect(proxies.client(peer: "::ffff:127.0.0.1", values: ["5.6.7.8"]) == "5.6.7.8")
    for stranger in ["192.0.2.1", "2001:db8::1", "unknown", "127.0.0.2"] {
      #expect(proxies.client(peer: stranger, values: values) == stranger)
      #expect(TrustedProxies().client(peer: stranger, values: values) == stranger)
    }
  }

  @Test(arguments: [
    ([], "127.0.0.1"), (["for=198.51.100.7"], "198.51.100.7"),
    (["FOR=198.51.100.7;proto=http;by=203.0.113.43"], "198.51.100.7"),
    (["proto=http ; For=\"198.51.100.7:4711\""], "198.51.100.7"),
    (["for=\"[2001:db8:cafe::17]:4711\""], "2001:db8:cafe::17"),
    (["for=\"[2001:db8:cafe::17]:_port\""], "2001:db8:cafe::17"),
    (["for=9.9.9.9, for=198.51.100.7, for=10.1.2.3"], "198.51.100.7"),
    (["for=9.9.9.9", "for=198.51.100.7;host=\"a, \\\"b\""], "198.51.100.7"),
    (["for=\"198.51\\.100.7\""], "198.51.100.7"),
    // An open quotation mark of the client swallows nothing.
    (["for=\"9.9.9.9, for=198.51.100.7"], "198.51.100.7"),
    (["for=\"9.9.9.9, for=198.51.100.7, for=\"[fd00::1]\""], "198.51.100.7"),
    (["for=9.9.9.9;x=\"\\, for=198.51.100.7"], "198.51.100.7"),
    (["for=unknown"], "127.0.0.1"), (["for=_hidden, for=10.0.0.1"], "127.0.0.1"),
    (["for=198.51.100.7, by=10.0.0.1"], "127.0.0.1"), (["198.51.100.7"], "127.0.0.1"),
    (["for=198.51.100.7;for=9.9.9.9"], "127.0.0.1"), (["for=2001:db8::7"], "127.0.0.1"),
    (["for=\"2001:db8::7\""], "127.0.0.1"), (["for="], "127.0.0.1"), (["=for"], "127.0.0.1"),
    (["for=\"198.51.100.7"], "127.0.0.1"), (["for=198.51.100.7 9.9.9.9"], "127.0.0.1"),
    (["for=\"198.51.100.7\"x"], "127.0.0.1"), (["for=\"\\"], "127.0.0.1"),
  ])
  func theStandardHeaderIsRead(values: [String], client: String) {
    #expect(Self.proxies(.forwarded).client(peer: "127.0.0.1", values: values) == client)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"), ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
    ("192.0.2.4/30", "192.0.2.7", "192.0.2.8"), ("fd00::/8", "fdff::1", "fc00::"),
    ("2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"), ("::/0", "1::", "0.0.0.1"),
    ("0.0.0.0/0", "255.0.0.1", "::1"), ("::ffff:10.0.0.0/8", "10.1.1.1", "::"),
    ("::1", "::1", "::2"),
  ])
  func aNetworkContainsWhatHasItsFirstBits(text: String, inside: String, outside: String) throws {
    let network = try #require(IPNetwork(text))
    #expect(network.contains(try #require(IPAddress(inside))))
    #expect(!network.contains(try #require(IPAddress(outside))))
  }

  @Test(arguments: [
    "", "/", "10.0.0.0/", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
    "10.0.0.5/8", "fd00::/129", "fd00::1/64", "proxy.example.com", "fe80::1%eth0", "10.0.0.0 /8",
    "10.0.0.0/99999999999999999999",
  ])
  func whatIsNoNetworkIsNone(text: String) { #expect(IPNetwork(text) == nil) }
}
#endif
