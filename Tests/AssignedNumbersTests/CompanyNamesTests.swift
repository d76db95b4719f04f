// The names of companies, against the Bluetooth SIG's own list.

import Testing

@testable import AssignedNumbers

@Suite("The names of companies")
struct CompanyNamesTests {
    /// Identifiers and names as the Bluetooth SIG lists them (Assigned Numbers, 7.1).
    private static let assigned = """
        0000 Ericsson AB
        0001 Nokia Mobile Phones
        0002 Intel Corp.
        0003 IBM Corp.
        0004 Toshiba Corp.
        0006 Microsoft
        0008 Motorola
        0009 Infineon Technologies AG
        000A Qualcomm Technologies International, Ltd. (QTIL)
        000D Texas Instruments Inc.
        000F Broadcom Corporation
        0013 Atmel Corporation
        001D Qualcomm
        0022 NEC Corporation
        0025 NXP B.V.
        0030 ST Microelectronics
        0036 Renesas Electronics Corporation
        003A Panasonic Holdings Corporation
        003C BlackBerry Limited
        0046 MediaTek, Inc.
        0047 Bluegiga
        0048 Marvell Technology Group Ltd.
        004C Apple, Inc.
        0055 Plantronics, Inc.
        0056 Sony Ericsson Mobile Communications
        0057 Harman International Industries, Inc.
        0059 Nordic Semiconductor ASA
        005B Ralink Technology Corporation
        005C Belkin International, Inc.
        005D Realtek Semiconductor Corporation
        0065 HP, Inc.
        0067 GN Audio A/S
        006B Polar Electro OY
        0075 Samsung Electronics Co. Ltd.
        0078 Nike, Inc.
        0087 Garmin International, Inc.
        008A Jawbone
        009E Bose Corporation
        009F Suunto Oy
        00BA Starkey Hearing Technologies
        00C4 LG Electronics
        00CC Beats Electronics
        00CD Microchip Technology Inc.
        00D0 Dexcom, Inc.
        00D2 Dialog Semiconductor B.V.
        00E0 Google
        0103 Bang & Olufsen A/S
        010E Audi AG
        0118 Radius Networks, Inc.
        011B Hewlett Packard Enterprise
        011F Volkswagen AG
        012D Sony Corporation
        012E ASSA ABLOY
        0131 Cypress Semiconductor
        0157 Anhui Huami Information Technology Co., Ltd.
        015D Estimote, Inc.
        0171 Amazon.com Services LLC
        0178 CASIO COMPUTER CO., LTD.
        017C Mercedes-Benz Group AG
        018E Fitbit, Inc.
        01AB Meta Platforms, Inc.
        01DA Logitech International SA
        01DD Koninklijke Philips N.V.
        01F9 Medtronic Inc.
        01FC Wahoo Fitness, LLC
        01FD Kontakt Micro-Location Sp. z o.o.
        020E Omron Healthcare Co., LTD
        0211 Telink Semiconductor Co. Ltd
        022B Tesla, Inc.
        022E Siemens AG
        027D HUAWEI Technologies Co., Ltd.
        0282 Sonova AG
        02A6 Robert Bosch GmbH
        02B2 Oura Health Oy
        02B6 Schneider Electric
        02C5 Lenovo (Singapore) Pte Ltd.
        02D5 OMRON Corporation
        02E5 Espressif Systems (Shanghai) Co., Ltd.
        02EE Citizen Holdings Co., Ltd.
        02F2 GoPro, Inc.
        02FF Silicon Laboratories
        038F Xiaomi Inc.
        03BB Abbott
        03FF Withings
        041E Dell Computer Corporation
        0494 SENNHEISER electronic GmbH & Co. KG
        0497 Cochlear Limited
        0499 Ruuvi Innovations Ltd.
        050C OSRAM GmbH
        0526 Honeywell International Inc.
        0553 Nintendo Co., Ltd.
        055D Valve Corporation
        05A7 Sonos Inc
        05F1 The Linux Foundation
        060F Signify Netherlands B.V.
        067C Tile, Inc.
        06BD ABB Oy
        0723 Ford Motor Company
        072F OnePlus Electronics (Shenzhen) Co., Ltd.
        079A GuangDong Oppo Mobile Telecommunications Corp., Ltd.
        0822 adafruit industries
        0837 vivo Mobile Communication Co., Ltd.
        08AA SZ DJI TECHNOLOGY CO.,LTD
        0969 Woan Technology (Shenzhen) Co., Ltd.
        09A3 ARDUINO SA
        0B18 DECATHLON SE
        0BA9 Allterco Robotics ltd
        """

    @Test("are those of the Bluetooth SIG without the form of business")
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
