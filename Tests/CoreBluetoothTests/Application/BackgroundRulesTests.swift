import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Scanning and advertising in the background")
struct BackgroundRulesTests {
    @Test("advertises services in the overflow area alone, without a name, ten times less often")
    func advertising() {
        let content = AdvertisedContent(localName: "Crystal", services: [0x180D], manufacturerData: [1, 2, 3])
        #expect(content.under(.everything) == content && content.under(.nothing) == nil)
        #expect(content.under(.background) == AdvertisedContent(overflowServices: [0x180D]))
        #expect(AdvertisingParameters.defaultInterval == .milliseconds(100))
        #expect(AdvertisedContent.backgroundInterval == .microseconds(1_022_500))
    }

    @Test("listens for a tenth of the time")
    func pace() {
        #expect(ScanPace.foreground.request(foreground: ScanParameters()) == ScanParameters())
        #expect(
            ScanPace.background.request(foreground: ScanParameters())
                == ScanParameters(interval: .milliseconds(300), window: .milliseconds(30))
        )
    }
}
