// Checks the names of companies against the Bluetooth SIG's own list.

import Testing

@testable import AssignedNumbers

@Suite("The names of companies")
struct CompanyNamesTests {
    /// Some identifiers and names as the Bluetooth SIG lists them (Assigned Numbers, 7.1).
    private static let assigned = """
        0000 Ericsson AB
        0003 IBM Corp.
        0008 Motorola
        000A Qualcomm Technologies International, Ltd. (QTIL)
        001D Qualcomm
        003C BlackBerry Limited
        004C Apple, Inc.
        0056 Sony Ericsson Mobile Communications
        0059 Nordic Semiconductor ASA
        0065 HP, Inc.
        008A Jawbone
        00CD Microchip Technology Inc.
        0103 Bang & Olufsen A/S
        0118 Radius Networks, Inc.
        0157 Anhui Huami Information Technology Co., Ltd.
        01AB Meta Platforms, Inc.
        01DD Koninklijke Philips N.V.
        020E Omron Healthcare Co., LTD
        0211 Telink Semiconductor Co. Ltd
        02A6 Robert Bosch GmbH
        02D5 OMRON Corporation
        02EE Citizen Holdings Co., Ltd.
        041E Dell Computer Corporation
        0553 Nintendo Co., Ltd.
        06BD ABB Oy
        08AA SZ DJI TECHNOLOGY CO.,LTD
        0BA9 Allterco Robotics ltd
        """

    @Test("are those of the Bluetooth SIG without the legal form")
    func companies() throws {
        for line in Self.assigned.split(separator: "\n") {
            let identifier = try #require(UInt16(line.prefix(4), radix: 16))
            let name = try #require(CompanyNames[identifier], "\(line)")
            // The two differ in spaces.
            let letters = [name, String(line.dropFirst(5))].map { $0.lowercased().filter(\.isLetter) }
            #expect(letters[1].hasPrefix(letters[0]), "\(line): \(name)")
        }
        let names = (UInt16.min ... .max).compactMap { CompanyNames[$0] }
        #expect(names.count > 3_400)
        let ends = [" Inc", " Inc.", " Ltd", " Ltd.", " GmbH", " LLC", ","]
        #expect(names.filter { name in ends.contains { name.hasSuffix($0) } } == [])
        // Reserved for internal tests (Assigned Numbers, 7.1).
        #expect(CompanyNames[0xFFFF] == "for tests")
        #expect(CompanyNames[0xFFFE] == nil)
    }
}
