import Testing

@testable import AtollSync
