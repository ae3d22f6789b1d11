#if Sync
import AtollTransport
import TestThreads
import Testing

@Suite(.computing) struct HostKeyTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
    ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"),
    ("0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"),
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
    ("2001:DB8:1:3::", "2001:db8:1:3::/64"), ("fe80::1%eth0", "fe80::/64"), ("::1", "::/64"),
    ("::192.0.2.1", "::/64"), ("64:ff9b::192.0.2.1", "64:ff9b::/64"),
  ])
  func anAddressCountsForItsHost(address: String, host: String) {
    #expect("\(HostKey(address))" == host)
    #expect(HostKey(address) == HostKey(host.replacing("/64", with: "")))
  }

  @Test(arguments: [
    "", "unknown", "/tmp/socket", "192.0.2", "192.0.2.1.5", "192.0.2.256", "192.0.2.01", "1.2.3.-4",
    "192.0.2.+1", "192.0.2.1:80", "[::1]", "::1:", ":::", ":", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "+1::", "-1::", "1:2:3:4:5:6:7::8", "::1%",
    "1.2.3.4::", "::1.2.3", "١.٢.٣.٤", String(repeating: "1:", count: 100_000),
  ])
  func whatIsNoAddressIsOneHost(text: String) {
    #expect(HostKey(text) == HostKey("unknown"))
    #expect("\(HostKey(text))" == "unknown")
  }

  @Test(arguments: [
    ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
    ("0:0:0:0:0:0:0:0", "::"), ("1:0:0:0:0:0:0:0", "1::"), ("127.0.0.1", "127.0.0.1"),
  ])
  func anAddressHasOneText(text: String, canonical: String) {
    #expect(IPAddress(text)?.description == canonical)
    #expect(IPAddress(canonical) == IPAddress(text))
  }

  @Test(arguments: [
    ("10.1.2.3", 8, "10.0.0.0"), ("10.1.2.3", 31, "10.1.2.2"), ("10.1.2.3", 32, "10.1.2.3"),
    ("10.1.2.3", 0, "0.0.0.0"), ("ffff:ffff::ffff", 20, "ffff:f000::"),
    ("1:2:3:4:ffff::5", 64, "1:2:3:4::"), ("1:2:3:4:ffff::5", 65, "1:2:3:4:8000::"),
    ("1:2:3:4:ffff::5", 128, "1:2:3:4:ffff::5"), ("1:2:3:4:ffff::5", 0, "::"),
  ])
  func aNetworkHasTheFirstBits(address: String, prefix: Int, network: String) throws {
    #expect(try #require(IPAddress(address)).network(prefix: prefix) == IPAddress(network))
  }

  @Test func loopbackIsThisMachine() {
    for text in ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"] {
      #expect(IPAddress(text)?.isLoopback == true, "\(text)")
    }
    for text in ["128.0.0.1", "::2", "::", "1::1", "::7f00:1"] {
      #expect(IPAddress(text)?.isLoopback == false, "\(text)")
    }
  }
}
#endif
