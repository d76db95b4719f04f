// The values that return parameters have where a controller of a test does not choose others.

import Testing

@testable import BluetoothHCI

@Suite("Return parameters")
struct ReturnParametersTests {
    @Test("The features of a host that does not speak LE are what is returned by default (Vol 4, Part E, 7.3.78)")
    func hostSupport() {
        let parameters = ReadLEHostSupport.ReturnParameters()
        #expect(parameters.status == .success && !parameters.isLESupported && parameters.unused == 0)
    }
}
