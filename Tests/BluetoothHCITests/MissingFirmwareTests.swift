// Chips without their firmware, by what they say of themselves.

import Testing

@testable import BluetoothHCI

@Suite("Missing firmware")
struct MissingFirmwareTests {
    @Test(
        "a Realtek works without its firmware by the numbers of its ROMs",
        arguments: [(0x8761, 0x5D, true), (0x8852, 0x5D, true), (0x8A6B, 0x5D, false), (0x8761, 2, false)]
    )
    func runsFromROM(subversion: Int, company: Int, runsFromROM: Bool) {
        let version = ReadLocalVersionInformation.ReturnParameters(
            company: UInt16(company),
            linkLayerSubversion: UInt16(subversion)
        )
        #expect(version.runsFromROM == runsFromROM)
    }

    @Test("names the files of a maker whose chips are given some", arguments: [(2, "intel/ibt-*"), (0xFFFF, nil)])
    func files(company: Int, files: String?) {
        #expect(ReadLocalVersionInformation.ReturnParameters(company: UInt16(company)).firmwareFiles == files)
    }
}
