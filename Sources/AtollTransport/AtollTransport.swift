// Transport: bytes between devices and a server, over TCP, with and without TLS.
//
// What this layer promises:
//
// - Memory is bounded on both ends. A connection holds at most its send limit of frames that the
//   other end has not read, and stops reading when its owner falls behind.
// - Input from the network never traps: a frame, a header or an address gives a value or an error
//   with the action to take.
// - Time and randomness of the session are parameters; a test waits for no real delay.
// - Work that blocks (transactions, passwords) never runs on an event loop.
//
// Reading order:
//
// 1. `TransportError`, `ServerAddress`: what can go wrong, and where a server is.
// 2. `TLS/`: what either end needs to encrypt its connections. `TLSClient` and `ServerCertificate` put
//    themselves in front of the other handlers of a channel; `TLSFailure` says what went wrong.
// 3. `HTTP/`: `HTTPClient` and `LoginClient`, the requests before a connection; `HostKey` and
//    `TrustedProxies`, whose a request is; `AttemptLimit`, how many each may send.
// 4. `Connection/`: one WebSocket. `FrameConnection` is what the rest sees of it,
//    `WebSocketHandler` the protocol on its event loop, `WebSocketConnector` the client's way to
//    one.
// 5. `Session/`: `FrameEndpoint` is a device's core without input and output, `ReconnectDelay` how
//    long to wait after a failure, `SyncSessionDriver` drives the one over connections.
// 6. `Metrics/`: `ServerMetric`, what is counted; `TransportInstruments` and `LabelledCounters` count
//    it in whatever backend of swift-metrics they are given, of which `PrometheusMetrics` is one.
// 7. `Listener/`: the server's end. `SyncListener` accepts, `ConnectionTable` decides who gets in,
//    `SyncHub` feeds the server's core, `TurnWatch` tells how that is.
//
// Without the trait `Sync` the module is empty. The bytes are in Format.md, section 11.
