import AtollQuery
import Dispatch
import Foundation
import RealmSwift
import Testing

// What needs a server is compiled here; the tests of sync run it.

extension Interface {
  private static let app = App(
    id: "interface", configuration: AppConfiguration(baseURL: "http://127.0.0.1:1"))

  /// Is given to code that is only compiled.
  private static func user() throws -> User {
    guard let user = app.currentUser else { throw CancellationError() }
    return user
  }

  @MainActor static func apps(_ rows: InterfaceRows) throws {
    let app = app

    rows.done("class App: Sendable", "App.init(id:)", "App.init(id:configuration:)") {
      #expect(App(id: "interface").appId == "interface")
      #expect(App(id: "other", configuration: AppConfiguration()).appId == "other")
    }
    rows.differs(
      "app.currentUser", "allUsers", "appId", "configuration", "syncManager", "emailPasswordAuth",
      how: "The server is Atoll's own: `AppConfiguration(baseURL:)`, or the environment variable "
        + "`ATOLL_BASE_URL`."
    ) {
      compiles {
        takes(User?.self, app.currentUser)
        takes([String: User].self, app.allUsers)
      }
      #expect(app.appId == "interface")
      takes(AppConfiguration.self, app.configuration)
      takes(SyncManager.self, app.syncManager)
      takes(EmailPasswordAuth.self, app.emailPasswordAuth)
    }
    rows.done("app.switch(to:)") {
      compiles {
        let user: User = app.switch(to: try user())
        app.switch(to: user)
      }
    }
    rows.done("app.login(credentials:) async throws", "app.login(credentials:_:)") {
      compiles {
        let user: User = try await app.login(credentials: .anonymous)
        app.login(credentials: .emailPassword(email: "a", password: user.id)) {
          (result: Result<User, any Error>) in _ = result
        }
      }
    }
    rows.no(
      "app.pushClient(serviceName:)", "user.functions", "user.mongoClient(_:)", "user.apiKeysAuth",
      "user.customData", "user.refreshCustomData()", "Functions", "MongoClient", "APIKeyAuth",
      why: "Remote services of the hosted platform, which `atoll serve` does not have.")
    rows.notOnLinux(
      "app.objectWillChange", "user.objectWillChange", why: "Combine is part of Apple's systems.")
    rows.differs(
      "AppConfiguration: baseURL, defaultRequestTimeoutMS, enableSessionMultiplexing, syncTimeouts",
      how:
        "The properties are constants, and there is no `transport`; `certificateAuthority` names "
        + "the authorities to trust."
    ) {
      let configuration = AppConfiguration(
        baseURL: nil, defaultRequestTimeoutMS: 9, enableSessionMultiplexing: true,
        syncTimeouts: SyncTimeoutOptions())
      takes(String?.self, configuration.baseURL)
      takes(UInt?.self, configuration.defaultRequestTimeoutMS)
      takes(Bool?.self, configuration.enableSessionMultiplexing)
      takes(SyncTimeoutOptions?.self, configuration.syncTimeouts)
    }
    rows.differs(
      """
      SyncTimeoutOptions: connectTimeout, connectionLingerTime, pingKeepalivePeriod, \
      pongKeepaliveTimeout, fastReconnectLimit
      """,
      how: "The properties are constants; `connectionLingerTime` and `fastReconnectLimit` have no "
        + "effect."
    ) {
      let options = SyncTimeoutOptions(connectTimeout: 1, pingKeepalivePeriod: 2)
      takes([UInt?].self, [options.connectTimeout, options.connectionLingerTime])
      takes([UInt?].self, [options.pingKeepalivePeriod, options.pongKeepaliveTimeout])
      takes(UInt?.self, options.fastReconnectLimit)
    }
    rows.differs(
      """
      Credentials: .anonymous, .emailPassword(email:password:), .jwt(token:), .userAPIKey(_), \
      .serverAPIKey(_), .apple(idToken:), .google(serverAuthCode:), .googleId(token:), \
      .facebook(accessToken:)
      """,
      how:
        "`atoll serve` knows `anonymous`, `emailPassword`, `jwt` and `serverAPIKey`; another one "
        + "makes the log-in throw."
    ) {
      let credentials: [Credentials] = [
        .anonymous, .emailPassword(email: "a", password: "b"), .jwt(token: "t"), .userAPIKey("k"),
        .serverAPIKey("k"), .apple(idToken: "t"), .google(serverAuthCode: "c"),
        .googleId(token: "t"), .facebook(accessToken: "t"),
      ]
      #expect(credentials.count == 9)
    }
    rows.no("Credentials.function(payload:)", why: "The server has no functions.")
    rows.done(
      "class User: Sendable", "id", "state", "isLoggedIn", "identities", "accessToken",
      "refreshToken", "profile", "allSessions"
    ) {
      compiles {
        let user = try user()
        takes(String.self, user.id)
        switch user.state {
        case .loggedOut, .loggedIn, .removed: break
        }
        takes(Bool.self, user.isLoggedIn)
        takes([UserIdentity].self, user.identities)
        takes([String?].self, [user.accessToken, user.refreshToken])
        takes(UserProfile.self, user.profile)
        takes([SyncSession].self, user.allSessions)
      }
    }
    rows.no(
      "user.session(forPartitionValue:)",
      why: "The realm of the partition has it: `realm.syncSession`.")
    rows.done(
      "user.logOut() async throws", "remove()", "delete()", "linkUser(credentials:)",
      note: "Each also with a completion."
    ) {
      compiles {
        let user = try user()
        try await user.logOut()
        try await user.remove()
        try await user.delete()
        let linked: User = try await user.linkUser(credentials: .anonymous)
        linked.logOut { (_: (any Error)?) in }
        linked.remove { (_: (any Error)?) in }
        linked.delete { (_: (any Error)?) in }
        linked.linkUser(credentials: .anonymous) { (_: Result<User, any Error>) in }
      }
    }
    rows.done("emailPasswordAuth.registerUser(email:password:)", note: "Also with a completion.") {
      compiles {
        try await app.emailPasswordAuth.registerUser(email: "a", password: "b")
        app.emailPasswordAuth.registerUser(email: "a", password: "b") { (_: (any Error)?) in }
      }
    }
    rows.no(
      "emailPasswordAuth.confirmUser(_:tokenId:)", "resendConfirmationEmail(_:)",
      "retryCustomConfirmation(_:)", "sendResetPasswordEmail(_:)",
      "resetPassword(to:token:tokenId:)",
      "callResetPasswordFunction(email:password:args:)",
      why: "`atoll serve` sends no mail; `user.changePassword(from:to:)` changes a password.")
    rows.differs(
      "UserProfile", "UserIdentity: identifier, providerType",
      how: "A profile has the `email`; the server knows nothing else of a user."
    ) {
      compiles {
        takes(String?.self, try user().profile.email)
        for identity in try user().identities {
          takes([String].self, [identity.identifier, identity.providerType])
        }
      }
    }
  }

  @MainActor static func sessions(_ rows: InterfaceRows) throws {
    rows.done("user.flexibleSyncConfiguration(clientResetMode:cancelAsyncOpenOnNonFatalErrors:)") {
      compiles {
        let user = try user()
        let configuration: Realm.Configuration = user.flexibleSyncConfiguration(
          clientResetMode: .manual(), cancelAsyncOpenOnNonFatalErrors: true)
        _ = (configuration, user.flexibleSyncConfiguration())
      }
    }
    rows.done(
      """
      user.flexibleSyncConfiguration(clientResetMode:cancelAsyncOpenOnNonFatalErrors:\
      initialSubscriptions:rerunOnOpen:)
      """
    ) {
      compiles {
        _ = try user().flexibleSyncConfiguration(
          initialSubscriptions: { (subscriptions: SyncSubscriptionSet) in
            subscriptions.append(QuerySubscription<Dog>(name: "all"))
          }, rerunOnOpen: true)
      }
    }
    rows.differs(
      "user.configuration(partitionValue:clientResetMode:cancelAsyncOpenOnNonFatalErrors:)",
      how:
        "The property `_partition` of an object names its partition; classes without it are held "
        + "as a whole."
    ) {
      compiles {
        let configuration: Realm.Configuration = try user().configuration(
          partitionValue: "a", clientResetMode: .recoverUnsyncedChanges(),
          cancelAsyncOpenOnNonFatalErrors: false)
        _ = configuration
        _ = try user().configuration(partitionValue: AnyBSON.string("a"))
      }
    }
    rows.done(
      """
      SyncConfiguration: user, partitionValue, clientResetMode, cancelAsyncOpenOnNonFatalErrors, \
      initialSubscriptions
      """
    ) {
      compiles {
        guard var sync = try user().flexibleSyncConfiguration().syncConfiguration else { return }
        takes(User.self, sync.user)
        takes(AnyBSON?.self, sync.partitionValue)
        sync.clientResetMode = .manual()
        sync.cancelAsyncOpenOnNonFatalErrors = true
        takes(InitialSubscriptionsConfiguration?.self, sync.initialSubscriptions)
      }
    }
    rows.done(
      "InitialSubscriptionsConfiguration: callback, rerunOnOpen, init(callback:rerunOnOpen:)"
    ) {
      let initial = InitialSubscriptionsConfiguration(
        callback: { (_: SyncSubscriptionSet) in }, rerunOnOpen: true)
      takes((@Sendable (SyncSubscriptionSet) -> Void).self, initial.callback)
      #expect(initial.rerunOnOpen)
    }
    rows.done(
      """
      ClientResetMode: .manual(errorHandler:), .discardUnsyncedChanges(beforeReset:afterReset:), \
      .recoverUnsyncedChanges(beforeReset:afterReset:), \
      .recoverOrDiscardUnsyncedChanges(beforeReset:afterReset:)
      """, note: "A reset is done in place (<doc:Sync>)."
    ) {
      let before: (@Sendable (Realm) -> Void)? = { _ in }
      let after: (@Sendable (Realm, Realm) -> Void)? = { _, _ in }
      let modes: [ClientResetMode] = [
        .manual(errorHandler: { error, session in takes(SyncSession?.self, session) }),
        .manual(), .discardUnsyncedChanges(beforeReset: before, afterReset: after),
        .recoverUnsyncedChanges(beforeReset: before, afterReset: after),
        .recoverOrDiscardUnsyncedChanges(beforeReset: before, afterReset: after),
        .recoverUnsyncedChanges(),
      ]
      #expect(modes.count == 6)
    }
    rows.no(
      "ClientResetMode.discardLocal(beforeReset:afterReset:)",
      why: "RealmSwift's older name of `discardUnsyncedChanges`.")
    rows.done("realm.syncSession", note: "Nil of a local realm.") {
      let session: SyncSession? = try ownRealm().syncSession
      #expect(session == nil)
    }
    rows.done(
      "SyncSession: state, connectionState, suspend(), resume(), reconnect()", "parentUser()",
      "configuration()"
    ) {
      func use(_ session: SyncSession) {
        switch session.state {
        case .active, .inactive, .invalid: break
        }
        switch session.connectionState {
        case .disconnected, .connecting, .connected: break
        }
        session.suspend()
        session.resume()
        session.reconnect()
        takes(User?.self, session.parentUser())
        takes(SyncConfiguration?.self, session.configuration())
      }
      takes(((SyncSession) -> Void).self, use)
    }
    rows.differs(
      "session.addProgressNotification(for:mode:block:)",
      "ProgressDirection: .upload, .download",
      "ProgressMode: .reportIndefinitely, .forCurrentlyOutstandingWork",
      "Progress: progressEstimate, isTransferComplete",
      how: "The block is `@Sendable`. Uploads count transactions, and downloads the objects of a "
        + "bootstrap: there are no counts of bytes, and no `fractionTransferred`."
    ) {
      func use(_ session: SyncSession) {
        let token: SyncSession.ProgressNotificationToken? = session.addProgressNotification(
          for: .upload, mode: .reportIndefinitely
        ) { progress in
          takes(Double.self, progress.progressEstimate)
          takes(Bool.self, progress.isTransferComplete)
        }
        token?.invalidate()
        _ = session.addProgressNotification(
          for: .download, mode: .forCurrentlyOutstandingWork, block: { _ in })
      }
      takes(((SyncSession) -> Void).self, use)
    }
    rows.done("session.wait(for:) async throws", "session.wait(for:queue:block:)") {
      compiles {
        guard let session = try user().allSessions.first else { return }
        try await session.wait(for: .download)
        session.wait(for: .upload, queue: .main) { (_: (any Error)?) in }
      }
    }
    rows.notOnLinux(
      "session.observe(\\.connectionState)",
      why: "Key-value observation; `session.connectionStates` is an `AsyncStream`.")
    rows.done("SyncSession.immediatelyHandleError(_:)") {
      takes(
        ((SyncError.ActionToken) -> Void).self,
        { (token: SyncError.ActionToken) in SyncSession.immediatelyHandleError(token) })
    }
    rows.done("syncManager.errorHandler") {
      let manager = app.syncManager
      manager.errorHandler = { (error: any Error, session: SyncSession?) in _ = (error, session) }
      manager.errorHandler = nil
      #expect(manager.errorHandler == nil)
    }
    rows.no(
      "syncManager.logLevel", "syncManager.logger", "SyncLogLevel", "syncManager.userAgent",
      "syncManager.timeoutOptions", "syncManager.authorizationHeaderName",
      "syncManager.customRequestHeaders",
      why: "One log is for all, `Logger.shared`; timeouts are those of `AppConfiguration`, and the "
        + "headers of requests are fixed.")
  }

  @MainActor static func places(_ rows: InterfaceRows) throws {
    rows.differs(
      "GeoPoint.init(latitude:longitude:)", "GeoPoint.init(latitude:longitude:altitude:)",
      how: "A struct, as all places. A target with the upcoming feature `MemberImportVisibility` "
        + "imports `AtollQuery`, too."
    ) {
      let point: GeoPoint? = GeoPoint(latitude: 46.9, longitude: 7.4)
      #expect(point?.latitude == 46.9 && point?.longitude == 7.4)
      #expect(GeoPoint(latitude: 91, longitude: 0) == nil)
      #expect(GeoPoint(latitude: 1, longitude: 2, altitude: 3)?.altitude == 3)
    }
    let low = try #require(GeoPoint(latitude: 0, longitude: 0))
    let high = try #require(GeoPoint(latitude: 50, longitude: 10))
    let corner = try #require(GeoPoint(latitude: 0, longitude: 10))
    rows.done("GeoBox.init(bottomLeft:topRight:)") {
      let box = GeoBox(bottomLeft: low, topRight: high)
      let other: GeoBox? = GeoBox(bottomLeft: (0, 0), topRight: (50, 10))
      #expect(other == box)
    }
    rows.done("GeoPolygon.init(outerRing:holes:)") {
      let polygon: GeoPolygon? = GeoPolygon(outerRing: [low, high, corner, low])
      let other = GeoPolygon(outerRing: [(0, 0), (50, 10), (0, 10), (0, 0)])
      #expect(polygon != nil && polygon == other)
      #expect(GeoPolygon(outerRing: [low, high, corner, low], holes: [[low]]) == nil)
    }
    rows.done("GeoCircle.init(center:radiusInRadians:)", "GeoCircle.init(center:radius:)") {
      let circle: GeoCircle? = GeoCircle(center: low, radiusInRadians: 0.1)
      let radius = try #require(Distance.kilometers(100))
      #expect(circle != nil && GeoCircle(center: low, radius: radius).center == low)
      let other: GeoCircle? = GeoCircle(center: (0, 0), radius: radius)
      #expect(other?.center == low)
    }
    rows.done(
      "Distance: .kilometers(_:), .miles(_:), .degrees(_:), .radians(_:), radians",
      "asKilometers()",
      "asMiles()", "asDegrees()"
    ) {
      let distance = try #require(Distance.degrees(1))
      #expect(distance.asDegrees() == 1 && distance.radians > 0 && Distance.miles(-1) == nil)
      #expect(distance.asKilometers() > distance.asMiles() && Distance.radians(1) != nil)
    }
    rows.done("query.geoWithin(_:)", "`GEOWITHIN` with an argument") {
      let realm = try kennel()
      try realm.write {
        let home = Place(value: ["city": "Bern"])
        home.coordinates.append(objectsIn: [7.4, 46.9])
        realm.rex.home = home
      }
      let dogs = realm.objects(Dog.self)
      let box = GeoBox(bottomLeft: low, topRight: high)
      #expect(dogs.where { $0.home.geoWithin(box) }.count == 1)
      #expect(dogs.filter("home IN %@", box).count == 1)
      #expect(dogs.filter("home GEOWITHIN $0", box).count == 1)
    }
  }
}
