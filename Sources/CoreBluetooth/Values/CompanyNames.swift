// A selection of the companies that are met on the air, by their identifiers (Assigned Numbers, 7), and of the UUIDs
// that companies use: the 16-bit ones that the Bluetooth SIG gave to its members (Assigned Numbers, 3.11), and 128-bit
// ones that became common property. None of them is part of `CBUUID.description`.

import BluetoothTypes

/// Names of companies and of what is theirs.
package enum CompanyNames {
    /// The company with this identifier, where it is one of the selection.
    package static subscript(company: UInt16) -> String? { self.companies[company] }

    /// The service with this UUID, where it is one of the selection.
    static func service(_ uuid: BluetoothUUID) -> String? {
        if let short = uuid.shortValue { return self.members[short] }
        return self.common[uuid]
    }

    private static let companies: [UInt16: String] = [
        0x0000: "Ericsson", 0x0001: "Nokia", 0x0002: "Intel", 0x0003: "IBM", 0x0004: "Toshiba", 0x0006: "Microsoft",
        0x0008: "Motorola", 0x0009: "Infineon Technologies", 0x000A: "Qualcomm Technologies International",
        0x000D: "Texas Instruments", 0x000F: "Broadcom", 0x0013: "Atmel", 0x001D: "Qualcomm", 0x0022: "NEC",
        0x0025: "NXP", 0x0030: "STMicroelectronics", 0x0036: "Renesas Electronics", 0x003A: "Panasonic",
        0x003C: "BlackBerry", 0x0046: "MediaTek", 0x0047: "Bluegiga", 0x0048: "Marvell", 0x004C: "Apple",
        0x0055: "Plantronics", 0x0056: "Sony Ericsson", 0x0057: "Harman", 0x0059: "Nordic Semiconductor",
        0x005B: "Ralink", 0x005C: "Belkin", 0x005D: "Realtek", 0x0065: "HP", 0x0067: "GN Audio", 0x006B: "Polar",
        0x0075: "Samsung", 0x0078: "Nike", 0x0087: "Garmin", 0x008A: "Jawbone", 0x009E: "Bose", 0x009F: "Suunto",
        0x00BA: "Starkey", 0x00C4: "LG Electronics", 0x00CC: "Beats", 0x00CD: "Microchip", 0x00D0: "Dexcom",
        0x00D2: "Dialog Semiconductor", 0x00E0: "Google", 0x0103: "Bang & Olufsen", 0x010E: "Audi",
        0x0118: "Radius Networks", 0x011B: "Hewlett Packard Enterprise", 0x011F: "Volkswagen", 0x012D: "Sony",
        0x012E: "ASSA ABLOY", 0x0131: "Cypress Semiconductor", 0x0157: "Huami", 0x015D: "Estimote", 0x0171: "Amazon",
        0x0178: "Casio", 0x017C: "Mercedes-Benz", 0x018E: "Fitbit", 0x01AB: "Meta", 0x01DA: "Logitech",
        0x01DD: "Philips", 0x01F9: "Medtronic", 0x01FC: "Wahoo Fitness", 0x01FD: "Kontakt Micro-Location",
        0x020E: "Omron Healthcare", 0x0211: "Telink Semiconductor", 0x022B: "Tesla", 0x022E: "Siemens",
        0x027D: "Huawei", 0x0282: "Sonova", 0x02A6: "Bosch", 0x02B2: "Oura", 0x02B6: "Schneider Electric",
        0x02C5: "Lenovo", 0x02D5: "Omron", 0x02E5: "Espressif", 0x02EE: "Citizen", 0x02F2: "GoPro",
        0x02FF: "Silicon Laboratories", 0x038F: "Xiaomi", 0x03BB: "Abbott", 0x03FF: "Withings", 0x041E: "Dell",
        0x0494: "Sennheiser", 0x0497: "Cochlear", 0x0499: "Ruuvi", 0x050C: "OSRAM", 0x0526: "Honeywell",
        0x0553: "Nintendo", 0x055D: "Valve", 0x05A7: "Sonos", 0x05F1: "Linux Foundation", 0x060F: "Signify",
        0x067C: "Tile", 0x06BD: "ABB", 0x0723: "Ford", 0x072F: "OnePlus", 0x079A: "Oppo", 0x0822: "Adafruit",
        0x0837: "vivo", 0x08AA: "DJI", 0x0969: "Woan Technology", 0x09A3: "Arduino", 0x0B18: "Decathlon",
        0x0BA9: "Allterco Robotics", 0xFFFF: "for tests",
    ]

    private static let members: [UInt16: String] = [
        0xFD6F: "Exposure Notification", 0xFDF0: "Audio Streaming for Hearing Aid", 0xFE59: "Nordic Secure DFU",
        0xFEAA: "Eddystone", 0xFEED: "Tile",
    ]

    private static let common: [BluetoothUUID: String] = {
        let texts = [
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E": "Nordic UART",
            "6E400002-B5A3-F393-E0A9-E50E24DCCA9E": "UART RX",
            "6E400003-B5A3-F393-E0A9-E50E24DCCA9E": "UART TX",
            "7905F431-B5CE-4E99-A40F-4B1E122D00D0": "Apple Notification Center",
            "89D3502B-0F36-433A-8EF4-C502AD55F8DC": "Apple Media",
        ]
        return Dictionary(
            texts.compactMap { text, name in BluetoothUUID(text).map { ($0, name) } },
            uniquingKeysWith: { first, _ in first }
        )
    }()
}
