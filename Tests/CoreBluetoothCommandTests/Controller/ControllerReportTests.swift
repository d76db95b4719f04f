import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import CoreBluetoothCommand

@Suite("The report of a controller")
struct ControllerReportTests {
    private let everyPair = [
        "advertising and scanning", "advertising and connecting", "advertising and links as a central",
        "advertising and links as a peripheral", "scanning and connecting", "scanning and links as a central",
        "scanning and links as a peripheral", "connecting and links as a central",
        "connecting and links as a peripheral",
    ]

    /// A report with every part.
    private var whole: ControllerReport {
        var report = ControllerReport()
        report.version = .init(hciVersion: .v5_0, linkLayerVersion: .v5_4, company: 0x004C, linkLayerSubversion: 7)
        report.address = DeviceAddress(0x0102_0304_0506, kind: .public)
        report.commands = SupportedCommands([Reset.self, LEReadFilterAcceptListSize.self])
        report.features = [.encryption, .phy2M]
        report.buffers = (12, 251, isShared: false)
        report.dataLength = 252
        report.states = [.nonConnectableAdvertising, .scannableAdvertising]
        report.acceptListSize = 9
        report.resolvingListSize = 10
        report.advertisingSets = 11
        report.advertisingDataLength = 1650
        report.transmitPower = (-20, 8)
        report.unanswered = ["Reset", "Read BD_ADDR"]
        report.roundTrips = Latency(milliseconds: [1, 2, 30])
        return report
    }

    private func lines(_ report: ControllerReport, listsCommands: Bool = false) -> [String] {
        report.fields(listsCommands: listsCommands).map { "\($0.name): \($0.value)" }
    }

    @Test("has a line for each part that is known, in this order")
    func lines() {
        var expected = [
            "version: Bluetooth 5.4, revision 0x0007", "HCI: Bluetooth 5.0, revision 0x0000", "manufacturer: Apple",
            "address: 01:02:03:04:05:06", "PHYs: 1M, 2M", "LE features: 2: LE Encryption, LE 2M PHY",
            "lacks: LE Data Packet Length Extension, LL Privacy, LE Coded PHY, LE Extended Advertising",
            "claims only: LE Encryption, LE 2M PHY, without the commands or the list",
            "states: 2: non-connectable advertising, scannable advertising",
            "not at once: " + everyPair.joined(separator: ", "), "commands: 2",
            "buffers: 12 of 251 octets, for LE alone",
            "data length: 252 octets", "accept list: 9 devices", "resolving list: 10 devices",
            "advertising sets: 11, up to 1650 octets each", "transmit power: -20 to 8 dBm",
            "not answered: Reset, Read BD_ADDR",
            "round trip: median 2.00 ms, 99 % within 30.0 ms, at most 30.0 ms (3 times Read BD_ADDR)",
        ]
        #expect(lines(whole) == expected)
        expected[10] = "commands: 2: Reset, LE Read Filter Accept List Size"
        #expect(lines(whole, listsCommands: true) == expected)
        #expect(lines(ControllerReport()).isEmpty)
        var alone = ControllerReport()
        alone.advertisingSets = 1
        alone.version = .init(hciVersion: .v5_0, linkLayerVersion: .v5_0, company: 0xFFFE)
        alone.features = []
        alone.address = DeviceAddress.none
        #expect(
            lines(alone) == [
                "version: Bluetooth 5.0, revision 0x0000", "HCI: Bluetooth 5.0, revision 0x0000",
                "manufacturer: company 0xFFFE", "address: none of its own; programs here make one and keep it",
                "PHYs: 1M", "LE features: none",
                "lacks: LE Encryption, LE Data Packet Length Extension, LL Privacy, LE 2M PHY, LE Coded PHY, "
                    + "LE Extended Advertising",
                "advertising sets: 1",
            ]
        )
    }

    @Test("has a key for each part in JSON, and null for what is not known")
    func json() {
        let details = whole.details(adapter: "hci0").map { "\($0.key) \($0.value.text)" }
        #expect(
            details == [
                "adapter \"hci0\"", "version \"Bluetooth 5.4\"", "hciVersion \"Bluetooth 5.0\"", "company 76",
                "manufacturer \"Apple\"", "revision 0", "subversion 7", "chip null", "knownFaults null",
                "hasLE true", "lacksFirmware false", "firmwareFiles null", "address \"01:02:03:04:05:06\"",
                "hasPlaceholderAddress false", "phys [\"1M\",\"2M\"]",
                "features [\"LE Encryption\",\"LE 2M PHY\"]",
                #"missingFeatures ["LE Data Packet Length Extension","LL Privacy","LE Coded PHY","LE Extended Advertising"]"#,
                "claimedOnly [\"LE Encryption\",\"LE 2M PHY\"]",
                "states [\"non-connectable advertising\",\"scannable advertising\"]",
                "notAtOnce [" + everyPair.map { "\"\($0)\"" }.joined(separator: ",") + "]",
                "commands [\"Reset\",\"LE Read Filter Accept List Size\"]", "bufferCount 12", "bufferLength 251",
                "sharesBuffers false",
                "dataLength 252", "acceptListSize 9", "resolvingListSize 10", "advertisingSets 11",
                "advertisingDataLength 1650", "minimumTransmitPower -20", "maximumTransmitPower 8",
                "unanswered [\"Reset\",\"Read BD_ADDR\"]",
                #"roundTrip {"count":3,"median":2.0,"percentile90":30.0,"percentile99":30.0,"maximum":30.0,"unit":"ms"}"#,
            ]
        )
        let empty = ControllerReport().details(adapter: "hci0")
        #expect(empty.map(\.key) == whole.details(adapter: "hci0").map(\.key))
        #expect(empty.dropFirst().allSatisfy { ["null", "[]"].contains($0.value.text) })
    }

    @Test("names a chip that people own, and says what is wrong with it")
    func chip() {
        func report(_ subversion: UInt16, _ company: UInt16, address: UInt64) -> ControllerReport {
            var report = ControllerReport()
            report.version = .init(
                hciVersion: .v5_1,
                linkLayerVersion: .v5_1,
                company: company,
                linkLayerSubversion: subversion
            )
            report.address = DeviceAddress(address, kind: .public)
            report.buffers = (10, 310, isShared: true)
            return report
        }
        let cold = report(0x8761, 93, address: 0x0020_7002_A000)
        #expect(
            lines(cold).contains(
                "firmware: missing; install the firmware package of your system, such as linux-firmware with "
                    + "rtl_bt/*, then unplug it and plug it in again"
            )
        )
        #expect(
            lines(cold).contains(
                "address: 00:20:70:02:A0:00, a placeholder that all of its kind have; programs here make one and keep it"
            )
        )
        #expect(lines(cold).contains("buffers: 10 of 310 octets, shared with BR/EDR"))
        let details = cold.details(adapter: "hci0").map { "\($0.key) \($0.value.text)" }
        #expect(
            details.contains("lacksFirmware true") && details.contains("hasPlaceholderAddress true")
                && details.contains("sharesBuffers true") && details.contains("chip \"RTL8761B without firmware\"")
        )
        #expect(
            lines(report(0x8A6B, 93, address: 1)).starts(
                with: [
                    "version: Bluetooth 5.1, revision 0x8A6B", "HCI: Bluetooth 5.1, revision 0x0000",
                    "chip: RTL8761B (USB dongle)", "known faults: extended scanning is refused beside a link",
                    "manufacturer: Realtek Semiconductor",
                ]
            )
        )
        #expect(!lines(report(0x8A6B, 92, address: 1)).contains { $0.hasPrefix("chip") })
    }

    @Test("says that a chip that tells only its version lacks its firmware, or is without LE if it is older than 4.0")
    func silent() {
        var report = ControllerReport()
        report.version = .init(hciVersion: .v5_2, linkLayerVersion: .v5_2, company: 2)
        #expect(lines(report)[2].hasPrefix("firmware: missing; ") && lines(report)[2].contains("intel/ibt-*"))
        report.commands = SupportedCommands([Reset.self])
        #expect(report.lacksFirmware == false && report.hasLE == nil)
        report.linkManagerFeatures = []
        #expect(report.lacksFirmware == false && report.hasLE == false)
        report = ControllerReport()
        report.version = .init(hciVersion: CoreVersion(rawValue: 5))
        #expect(report.lacksFirmware == false && lines(report).contains("Bluetooth LE: none; use another adapter"))
    }

    @Test("says which features a chip claims without their commands, or without a list")
    func claimedOnly() {
        var report = whole
        report.commands = SupportedCommands([
            Reset.self, LEEnableEncryption.self, LELongTermKeyRequestReply.self, LESetPHY.self,
            LEAddDeviceToResolvingList.self, LESetAddressResolutionEnable.self,
        ])
        report.features?.insert([.privacy, .extendedAdvertising])
        #expect(report.claimedOnly == ["LE Extended Advertising"])
        report.resolvingListSize = 0
        #expect(report.claimedOnly == ["LE Extended Advertising", "LL Privacy"])
    }

    @Test("knows what chips get wrong beyond what they say")
    func faults() {
        #expect(ControllerModel.csr8510.faults == ["scanning and connecting exclude each other"])
        #expect(ControllerModel.zephyr.faults.isEmpty, "it says so itself")
        #expect(ControllerModel.raspberryPi3.faults == ["Set Event Mask Page 2 is listed and refused"])
        #expect(ControllerModel.rtl8761bWithoutFirmware.faults.last == "passive scanning finds nobody")
    }

    @Test("says in words which roles a chip does not have at once, if it says anything of it")
    func roles() {
        #expect(LEStates().excludedPairs == nil && LEStates.all.excludedPairs == [])
        #expect(LEStates(rawValue: 0x3FF_FF3F_FFFF).excludedPairs == ["scanning and connecting"])
        #expect(
            LEStates(rawValue: 0x1FFF_FFFF).excludedPairs == [
                "advertising and connecting", "advertising and links as a central",
                "advertising and links as a peripheral", "connecting and links as a peripheral",
            ]
        )
        #expect(LEStates(rawValue: LEStates.all.rawValue & ~(1 << 14)).excludedPairs == ["advertising and scanning"])
    }

    @Test(
        "names versions as the Assigned Numbers do (2.1)",
        arguments: [(0, "Bluetooth 1.0b"), (9, "Bluetooth 5.0"), (16, "Bluetooth 6.2"), (17, "version 17")]
            as [(UInt8, String)]
    )
    func versions(number: UInt8, name: String) {
        #expect(ControllerReport.name(CoreVersion(rawValue: number)) == name)
    }

    @Test("has a name for every feature that the specification names")
    func names() {
        #expect(LEFeatures(rawValue: (1 << 48) - 1).names.count == 48)
        #expect(!LEFeatures(rawValue: (1 << 48) - 1).names.contains { $0.hasPrefix("bit ") })
        #expect(LEFeatures.channelSoundingHostSupport.names == ["Channel Sounding (host support)"])
        #expect(LEFeatures.phyCoded.names == ["LE Coded PHY"])
        #expect(LEFeatures.connectionSubrating.names == ["Connection Subrating"])
    }

    @Test("has fields below each other, broken between words")
    func fields() {
        #expect(
            FieldText.text([("a", "one two three"), ("bcd", "x")], columns: 16) == "a    one two\n     three\nbcd  x"
        )
        #expect(FieldText.text([("a", "one two three")], columns: nil) == "a  one two three")
        #expect(FieldText.text([], columns: nil).isEmpty)
    }
}
