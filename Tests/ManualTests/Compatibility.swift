import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct CompatibilityPage {
  private func configuration() -> Realm.Configuration {
    // Page begins here
    var configuration = Realm.Configuration.defaultConfiguration
    configuration.failureHandler = { error in print("the data cannot be read: \(error)") }
    // Page ends here
    return configuration
  }

  @Test func aHandlerIsPartOfAConfiguration() {
    #expect(configuration().failureHandler != nil)
    #expect(Realm.Configuration.defaultConfiguration.failureHandler == nil)
  }
}
