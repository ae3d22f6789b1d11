import Testing

@testable import Atoll
