// Testing: a server and devices in the process of an app's tests, on a network that can fail.
//
// Nothing of the app or of the library is replaced: the server is the one of `atoll serve`, devices
// are `App`s with folders of their own, and what is between them is TCP on the loopback interface.
//
// Reading order: `TestServer`, what a test holds; `TestServer.Device`, one device; `NetworkLine`,
// the wire between the two; `TestClock`, what time the server thinks it is.
//
// Without the trait `Sync` the module is empty.
