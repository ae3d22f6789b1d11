#if Sync
import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Accepts TCP connections and sends nothing, or always the same before it closes them.
final class MuteServer: Sendable {
  let port: Int
  private let descriptor: Int32

  init?(answer: [UInt8]? = nil) {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, byteCount) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &byteCount) == 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    guard isListening else { return nil }
    guard let answer else { return }
    DispatchQueue(label: "atoll.test.server").async {
      while true {
        let peer = accept(descriptor, nil, nil)
        if peer < 0 { return }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        _ = recv(peer, &bytes, bytes.count, 0)
        #if canImport(Glibc)
        _ = Glibc.send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
        #else
        _ = Darwin.send(peer, answer, answer.count, 0)
        #endif
        close(peer)
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
#endif
