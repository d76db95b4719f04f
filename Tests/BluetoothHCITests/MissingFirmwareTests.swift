// Chips without their firmware, by the version that they report.

import Testing

@testable import BluetoothHCI

@Suite("Missing firmware")
struct MissingFirmwareTests {
    @Test(
        "recognizes a Realtek chip without its firmware by the version of its ROM",
        arguments: [(0x8761, 0x5D, true), (0x8852, 0x5D, true), (0x8A6B, 0x5D, false), (0x8761, 2, false)]
    )
    func runsFromROM(subversion: Int, company: Int, runsFromROM: Bool) {
        let version = ReadLocalVersionInformation.ReturnParameters(
            company: UInt16(company),
            linkLayerSubversion: UInt16(subversion)
        )
        #expect(version.runsFromROM == runsFromROM)
    }

    @Test("names the firmware files of a manufacturer", arguments: [(2, "intel/ibt-*"), (0xFFFF, nil)])
    func files(company: Int, files: String?) {
        #expect(ReadLocalVersionInformation.ReturnParameters(company: UInt16(company)).firmwareFiles == files)
    }
}
