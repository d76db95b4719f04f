// Controllers that people own, according to public logs, the Linux kernel's tables and issue threads. Nothing was
// measured here. Unpublished numbers (most list sizes, numbers of links and of LE buffers) are those of a similar chip
// or typical ones; comments call them "guessed".

package import BluetoothHCI
import BluetoothTypes
import NIOCore

extension ControllerModel {
    /// All models of controllers that people own.
    package static let presets: [ControllerModel] = [
        .raspberryPi3, .raspberryPi3BPlus, .raspberryPi4, .bcm20702, .csr8510, .csrClone, .rtl8761b,
        .rtl8761bWithoutFirmware, .intel7265, .intelAX200, .mt7921, .qca6174, .wcn6855, .zephyr, .softDeviceController,
        .esp32, .cc2564,
    ]

    /// The preset of a chip that reports these values. Firmware patches change the version of some chips, but not from
    /// 4 to 5.
    package static func preset(version: CoreVersion, company: UInt16, subversion: UInt16) -> ControllerModel? {
        self.presets.first {
            $0.company == company && $0.subversion == subversion
                && ($0.version.rawValue < CoreVersion.v5_0.rawValue) == (version.rawValue < CoreVersion.v5_0.rawValue)
        }
    }

    // MARK: Raspberry Pi and Broadcom

    /// BCM43430A1 of a Raspberry Pi 3 and Zero W. Known: version, buffers, a listed command that it does not support;
    /// commands and LE buffers are those of the similar BCM4339. Guessed: lists, states, links.
    package static let raspberryPi3 = ControllerModel(
        "BCM43430A1 (Raspberry Pi 3, Zero W)",
        .v4_1,
        revision: 0x00B6,
        company: 15,
        subversion: 0x2209
    ) {
        $0.commands = SupportedCommands(
            "ffffff03ccffefffffffec1ff20fe8fe3ff78fff1c00040061f7ffff7ff81f00fe3f"
        )
        $0.features = LEFeatures(rawValue: 0x0F)
        $0.states = .upTo28
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (27, 15)
        $0.filterAcceptListSize = 15
        $0.refusedCommands = [SetEventMaskPage2.opcode]
    }

    /// BCM4345C0 of a Raspberry Pi 3B+ with an early patch. Known: version, features, shared buffers. Guessed: the
    /// rest.
    package static let raspberryPi3BPlus = ControllerModel(
        "BCM4345C0 (Raspberry Pi 3B+)",
        .v4_2,
        revision: 0x00FC,
        company: 15,
        subversion: 0x6119
    ) {
        $0.commands = .dualMode.union(.le(0x20...0x24, 0x2F...0x2F)).union([SetEventMaskPage2.self])
        $0.features = LEFeatures(rawValue: 0x2F)
        $0.states = .upTo28
        $0.shareBuffers(length: 1_021, count: 8)
        $0.filterAcceptListSize = 16
    }

    /// CYW43455 of a Raspberry Pi 4, 5 and 400. Known: version, no extended advertising. Guessed: buffers, lists,
    /// states, links.
    package static let raspberryPi4 = ControllerModel(
        "CYW43455 (Raspberry Pi 4, 5, 400)",
        .v5_0,
        revision: 0x0190,
        company: 305,
        subversion: 0x6119
    ) {
        $0.commands = .dualMode.union(.le5)
        $0.features = LEFeatures(rawValue: 0x01FF)
        $0.states = .upTo28
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 16)
        ($0.filterAcceptListSize, $0.resolvingListSize) = (16, 128)
    }

    /// BCM20702A1 of many dongles of 2012 to 2016. Known: version, features, the common address of unprogrammed chips,
    /// a slow answer to HCI Reset. Guessed: one role at a time, how slow, lists, links.
    package static let bcm20702 = ControllerModel(
        "BCM20702A1 (USB dongle)",
        .v4_0,
        revision: 0x1000,
        company: 15,
        subversion: 0x220E
    ) {
        $0.commands = .dualMode.union([SetEventMaskPage2.self])
        $0.features = .encryption
        $0.states = .upTo28
        $0.shareBuffers(length: 1_021, count: 8)
        $0.filterAcceptListSize = 15
        $0.address = DeviceAddress(0x0020_7002_A000, kind: .public)
        $0.refusedCommands = [SetEventMaskPage2.opcode]
        $0.excludedRoles = .oneRole
        $0.resetDelay = .milliseconds(500)
    }

    // MARK: Dongles

    /// A genuine CSR8510 A10. Known: version, shared buffers, one role at a time, 5 links. Guessed: the accept list.
    package static let csr8510 = ControllerModel(
        "CSR8510 A10 (USB dongle)",
        .v4_0,
        revision: 0x22BB,
        company: 10,
        subversion: 0x22BB
    ) {
        $0.commands = .dualMode
        $0.features = .encryption
        $0.states = .upTo28
        $0.shareBuffers(length: 310, count: 10)
        $0.filterAcceptListSize = 25
        $0.maximumLinkCount = 5
        $0.firstHandle = 71
        $0.excludedRoles = .oneRole + [[.scanning, .initiating]]
    }

    /// A dongle that claims to be a CSR8510. Known: commands, buffers, accept list, states, all from one specimen.
    /// Guessed: links, and that it never answers Host Buffer Size.
    package static let csrClone = ControllerModel(
        "CSR8510 clone (USB dongle)",
        .v4_0,
        revision: 0x0709,
        company: 10,
        subversion: 0x0709
    ) {
        $0.commands = SupportedCommands("bfffff03feffffff0fffff1ff20fe8fe3ff78fff1c00000061f7ffff7f18")
        $0.features = .encryption
        $0.states = LEStates(rawValue: 0x1F3C_00FF)
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (27, 18)
        $0.commandCredits = 5
        $0.filterAcceptListSize = 8
        $0.excludedRoles = .oneRole + [[.scanning, .initiating], [.scanning, .advertising]]
        $0.unansweredCommands = [HostBufferSize.opcode]
        $0.resetDelay = .milliseconds(5)
    }

    /// RTL8761B, BU and BUV with firmware. Known: version, extended scanning rejected while there is a link, handles.
    /// Guessed: commands, lists, states, LE buffers.
    package static let rtl8761b = ControllerModel(
        "RTL8761B (USB dongle)",
        .v5_1,
        revision: 0x09A9,
        company: 93,
        subversion: 0x8A6B
    ) {
        $0.commands = .dualMode.union(.le5).union(.extended)
        $0.features = LEFeatures(rawValue: 0x59FF)
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 8)
        $0.commandCredits = 3
        ($0.filterAcceptListSize, $0.resolvingListSize, $0.advertisingSetCount) = (16, 32, 4)
        $0.firstHandle = 16
        $0.quirks = [.refusesExtendedScanWithLinks, .mixesCommandFamilies]
    }

    /// RTL8761B with its ROM code only. Known: version, no reports of passive scans. Guessed: the rest, as with
    /// firmware.
    package static let rtl8761bWithoutFirmware = ControllerModel(copyOf: .rtl8761b, "RTL8761B without firmware") {
        ($0.revision, $0.subversion) = (0x000B, 0x8761)
        $0.quirks.insert(.reportsActiveScansOnly)
    }

    // MARK: In laptops

    /// Intel 7265, 8260 and 8265. Known: version, vendor events. Guessed: commands, features, lists, states, LE
    /// buffers.
    package static let intel7265 = ControllerModel(
        "Intel 7265, 8260, 8265",
        .v4_2,
        revision: 0x0100,
        company: 2,
        subversion: 0x0100
    ) {
        $0.commands = .dualMode.union(.le42)
        $0.features = LEFeatures(rawValue: 0x1F)
        $0.states = .upTo28
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 3)
        ($0.filterAcceptListSize, $0.resolvingListSize) = (25, 25)
        $0.firstHandle = 3_584
        $0.quirks = .vendorEvents
    }

    /// Intel AX200 and AX201. Known: nearly everything. Guessed: the commands, links.
    package static let intelAX200 = ControllerModel(
        "Intel AX200, AX201",
        .v5_2,
        revision: 0x20CE,
        company: 2,
        subversion: 0x20CE
    ) {
        $0.commands = .dualMode.union(.le5).union(.extended)
        $0.features = LEFeatures(rawValue: 0x0800_59FF)
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 3)
        $0.commandCredits = 2
        ($0.filterAcceptListSize, $0.resolvingListSize) = (25, 25)
        ($0.advertisingSetCount, $0.maximumAdvertisingDataLength) = (6, 160)
        $0.firstHandle = 2_048
        $0.resetDelay = .milliseconds(9)
        $0.quirks = .vendorEvents
    }

    /// MediaTek MT7921 and MT7922. Known: version. Guessed: the rest.
    package static let mt7921 = ControllerModel(
        "MediaTek MT7921, MT7922",
        .v5_2,
        revision: 0x2918,
        company: 70,
        subversion: 0x2303
    ) {
        $0.commands = .dualMode.union(.le5).union(.extended)
        $0.features = LEFeatures(rawValue: 0x79FF)
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 6)
        ($0.filterAcceptListSize, $0.resolvingListSize, $0.advertisingSetCount) = (24, 8, 4)
        $0.firstHandle = 512
        $0.quirks = .vendorEvents
    }

    /// Qualcomm QCA6174 and QCA9377. Known: version. Guessed: the rest.
    package static let qca6174 = ControllerModel(
        "Qualcomm QCA6174, QCA9377",
        .v4_1,
        revision: 0,
        company: 29,
        subversion: 0x025A
    ) {
        $0.commands = .dualMode.union(.le42)
        $0.features = LEFeatures(rawValue: 0x3F)
        $0.states = .upTo28
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 15)
        ($0.filterAcceptListSize, $0.resolvingListSize) = (16, 10)
        $0.firstHandle = 2
        $0.refusedCommands = [SetEventMaskPage2.opcode]
    }

    /// Qualcomm WCN6855. Known: version, the address of an unconfigured chip. Guessed: the rest.
    package static let wcn6855 = ControllerModel(
        "Qualcomm WCN6855",
        .v5_3,
        revision: 0,
        company: 29,
        subversion: 0x46F7
    ) {
        $0.commands = .dualMode.union(.le5).union(.extended)
        $0.features = LEFeatures(rawValue: 0x79FF)
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 15)
        ($0.filterAcceptListSize, $0.resolvingListSize, $0.advertisingSetCount) = (16, 10, 4)
        $0.address = DeviceAddress(0x5AAD, kind: .public)
        $0.firstHandle = 2
    }

    // MARK: On boards

    /// Zephyr's controller, as its samples `hci_usb` and `hci_uart` build it. Known: version, features, no address,
    /// accept list, states, no initiating while scanning, buffers, handles. Guessed: the commands, 16 links.
    package static let zephyr = ControllerModel(
        "Zephyr (nRF52840 and others)",
        .v5_1,
        revision: 0,
        company: 0x05F1,
        subversion: 0xFFFF,
        isDualMode: false
    ) {
        $0.commands = .leOnly.union(.le5)
        $0.features = LEFeatures(rawValue: 0x59F5)
        $0.states = LEStates(rawValue: 0x3FF_FF3F_FFFF)
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (27, 3)
        ($0.filterAcceptListSize, $0.resolvingListSize) = (8, 8)
        $0.maximumLinkCount = 16
        $0.address = .noPublicAddress
        $0.firstHandle = 0
        $0.excludedRoles = [[.scanning, .initiating]]
    }

    /// Nordic's SoftDevice Controller over UART. Known: maker, no address, handles. Guessed: the rest.
    package static let softDeviceController = ControllerModel(
        "SoftDevice Controller (Nordic)",
        .v5_3,
        revision: 0x1234,
        company: 0x59,
        subversion: 0x1234,
        isDualMode: false
    ) {
        $0.commands = .leOnly.union(.le5).union(.extended)
        $0.features = LEFeatures(rawValue: 0x0001_79FF)
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 3)
        ($0.filterAcceptListSize, $0.resolvingListSize, $0.advertisingSetCount) = (8, 8, 4)
        $0.address = .noPublicAddress
        $0.firstHandle = 0
    }

    /// ESP32 with HCI over UART. Known: version, commands, buffers, credits, handles. Guessed: lists, states, 9 links.
    package static let esp32 = ControllerModel("ESP32", .v4_2, revision: 0x030E, company: 0x60, subversion: 0x030E) {
        $0.commands = SupportedCommands(
            "bfffff03ccffefff3ffffc1ff20fe8fe3ff78fff1c00040061f7ffff7f38c0ff7fffff0f"
        )
        $0.features = LEFeatures(rawValue: 0x1F)
        $0.states = LEStates(rawValue: 0x3FFF_FFFF)
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (251, 10)
        $0.commandCredits = 5
        $0.filterAcceptListSize = 12
        $0.maximumLinkCount = 9
        $0.firstHandle = 0
    }

    /// TI CC2564 and WL18xx. Known: version, one link as a peripheral. Guessed: one role at a time, and the rest.
    package static let cc2564 = ControllerModel(
        "TI CC2564, WL18xx",
        .v4_0,
        revision: 0,
        company: 13,
        subversion: 0x1B90
    ) {
        $0.commands = .dualMode
        $0.features = .encryption
        $0.states = .upTo28
        ($0.aclDataPacketLength, $0.aclDataPacketCount) = (27, 8)
        $0.filterAcceptListSize = 25
        $0.excludedRoles = .oneRole
    }

    // MARK: Parts

    private init(
        _ name: String,
        _ version: CoreVersion,
        revision: UInt16,
        company: UInt16,
        subversion: UInt16,
        isDualMode: Bool = true,
        _ body: (inout ControllerModel) -> Void
    ) {
        self.name = name
        self.version = version
        (self.revision, self.company, self.subversion) = (revision, company, subversion)
        self.isDualMode = isDualMode
        // Most numbers of links are unpublished, and many chips take one command at a time and have no resolving list.
        (self.maximumLinkCount, self.commandCredits, self.resolvingListSize) = (7, 1, 0)
        body(&self)
    }

    private init(copyOf model: ControllerModel, _ name: String, _ body: (inout ControllerModel) -> Void) {
        self = model
        self.name = name
        body(&self)
    }

    private mutating func shareBuffers(length: Int, count: Int) {
        (self.aclDataPacketLength, self.aclDataPacketCount, self.sharesBuffers) = (length, count, true)
    }
}

extension DeviceAddress {
    /// The address that a controller without a public address reports.
    fileprivate static let noPublicAddress = DeviceAddress(0, kind: .public)
}

extension LEStates {
    /// The states of Bluetooth 4.0 without links in two roles.
    fileprivate static let upTo28 = LEStates(rawValue: 0x1FFF_FFFF)
}

extension [ControllerModel.Roles] {
    /// No advertising beside a link or initiating.
    fileprivate static let oneRole: Self = [
        [.advertising, .initiating], [.advertising, .central], [.advertising, .peripheral],
    ]
}
