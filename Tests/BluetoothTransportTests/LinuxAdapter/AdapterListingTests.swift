// The listing, on folders that look like the kernel's.

import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Adapter listing")
struct AdapterListingTests {
    /// A tree of devices with the kernel's views by class.
    struct System {
        let folder: TemporaryFolder
        var path: String { self.folder("class") }

        init() throws {
            self.folder = try TemporaryFolder()
            try self.makeFolder("class")
        }

        private func makeFolder(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: self.folder(name), withIntermediateDirectories: true)
        }

        func write(_ file: String, _ text: String) throws {
            try self.makeFolder((file as NSString).deletingLastPathComponent)
            try Data(text.utf8).write(to: URL(fileURLWithPath: self.folder(file)))
        }

        func link(_ name: String, to target: String) throws {
            try self.makeFolder((name as NSString).deletingLastPathComponent)
            if !target.hasPrefix("../") { try self.makeFolder(target) }
            try FileManager.default.createSymbolicLink(
                atPath: self.folder(name),
                withDestinationPath: target.hasPrefix("../") ? target : self.folder(target)
            )
        }

        /// Adds an adapter on the device `parent`.
        func addAdapter(_ name: String, on parent: String?, bus: String? = nil, driver: String? = nil) throws {
            let place = "devices/\(parent ?? "virtual")/bluetooth/\(name)"
            try self.link("class/bluetooth/\(name)", to: place)
            guard let parent else { return }
            try self.link("\(place)/device", to: "devices/\(parent)")
            if let bus { try self.link("devices/\(parent)/subsystem", to: "bus/\(bus)") }
            if let driver { try self.link("devices/\(parent)/driver", to: "bus/drivers/\(driver)") }
        }

        func addSwitch(_ entry: String, name: String, type: String = "bluetooth", soft: Int, hard: Int) throws {
            try self.write("class/rfkill/\(entry)/name", "\(name)\n")
            try self.write("class/rfkill/\(entry)/type", "\(type)\n")
            try self.write("class/rfkill/\(entry)/soft", "\(soft)\n")
            try self.write("class/rfkill/\(entry)/hard", "\(hard)\n")
        }
    }

    @Test("lists nothing on a machine without Bluetooth")
    func nothing() throws {
        let system = try System()
        #expect(AdapterListing(folder: system.path).adapters.isEmpty)
        #expect(AdapterListing(folder: system.path).radioSwitches.isEmpty)
        #expect(AdapterListing(folder: system.folder("nowhere")).adapters.isEmpty)
    }

    @Test("lists adapters by number with the content of their folders, but not their links")
    func adapters() throws {
        let system = try System()
        try system.addAdapter("hci10", on: nil)
        try system.addAdapter("hci0", on: "pci/usb1/1-4/1-4:1.0", bus: "usb", driver: "btusb")
        try system.write("devices/pci/usb1/1-4/product", "Bluetooth Radio\n")
        try system.addAdapter("hci2", on: "soc/serial0/serial0-0", bus: "serial", driver: "hci_uart_bcm")
        try system.write("devices/soc/serial0/serial0-0/bluetooth/hci2/address", "b8:27:eb:01:02:0a\n")
        try system.addAdapter("hci3", on: "soc/strange", bus: "rpmsg")
        for other in ["hci0:64", "hci", "hci01", "hci70000", "hcix", "lo"] { try system.addAdapter(other, on: nil) }
        let listing = AdapterListing(folder: system.path)
        let usb = AdapterListing.Adapter(
            index: 0,
            address: nil,
            bus: "USB",
            driver: "btusb",
            product: "Bluetooth Radio",
            isUp: nil,
            block: .none
        )
        #expect(listing.adapters.first == usb)
        #expect(listing.adapters.map(\.bus) == ["USB", "UART", "rpmsg", "virtual"])
        #expect(listing.adapters.map(\.driver) == ["btusb", "hci_uart_bcm", nil, nil])
        #expect(listing.adapters.map(\.address) == [nil, DeviceAddress(0xB827_EB01_020A, kind: .public), nil, nil])
        #expect(listing.adapters.map(\.name.description) == ["hci0", "hci2", "hci3", "hci10"])
    }

    @Test("reports why a radio is switched off, and lists the switches of the machine by name")
    func blocks() throws {
        let system = try System()
        for index in 0...3 { try system.addAdapter("hci\(index)", on: nil) }
        // Of two switches with the same name the first entry counts, and both are listed in that order.
        for (number, (name, type, soft, hard)) in [
            ("phy0", "wlan", 1, 0), ("hci0", "bluetooth", 0, 0), ("hci1", "bluetooth", 1, 0),
            ("hci2", "bluetooth", 1, 1), ("hci3", "wlan", 1, 1), ("hci1", "bluetooth", 0, 1),
            ("z_switch", "bluetooth", 1, 0), ("a_switch", "bluetooth", 0, 0), ("hci9", "bluetooth", 0, 1),
            ("z_switch", "bluetooth", 0, 1),
        ].enumerated() {
            try system.addSwitch("rfkill\(number)", name: name, type: type, soft: soft, hard: hard)
        }
        // A switch without a name is ignored.
        try system.write("class/rfkill/rfkill90/type", "bluetooth\n")
        let listing = AdapterListing(folder: system.path)
        #expect(listing.adapters.map(\.block) == [.none, .byProgram, .bySwitch, .none])
        #expect(
            listing.radioSwitches == [
                .init(name: "a_switch", block: .none), .init(name: "hci9", block: .bySwitch),
                .init(name: "z_switch", block: .byProgram), .init(name: "z_switch", block: .bySwitch),
            ]
        )
    }

    @Test("marks an adapter as managed if the kernel's management lists it")
    func managed() throws {
        let system = try System()
        let folder = system.path
        #expect(AdapterListing(folder: folder, kernel: { _ in nil }, managed: { [0] }).adapters.isEmpty)
        for index in [0, 1, 10] { try system.addAdapter("hci\(index)", on: nil) }
        func managed(_ indices: Set<Int>?) -> [Bool?] {
            AdapterListing(folder: folder, kernel: { _ in nil }, managed: { indices }).adapters.map(\.isManaged)
        }
        #expect(managed([0, 2, 10]) == [true, false, true])
        #expect(managed([]) == [false, false, false])
        #expect(managed(nil) == [nil, nil, nil])
        #expect(AdapterListing(folder: folder).adapters.map(\.isManaged) == [nil, nil, nil])
    }

    @Test(
        "names the bus of an adapter by its kind, or by the kernel's name",
        arguments: [
            ("usb", "USB"), ("tty", "UART"), ("serial", "UART"), ("serdev", "UART"), ("sdio", "SDIO"), ("mmc", "SDIO"),
            ("pci", "PCI"), ("platform", "platform"),
        ]
    )
    func buses(subsystem: String, bus: String) throws {
        let system = try System()
        try system.addAdapter("hci0", on: "soc/device", bus: subsystem)
        #expect(AdapterListing(folder: system.path).adapters.map(\.bus) == [bus])
    }

    @Test("prefers the address of the folder to that of the kernel, unless it is zero")
    func addresses() throws {
        let shown = DeviceAddress(0xB827_EB01_020A, kind: .public)
        let asked = DeviceAddress(0x0011_2233_4455, kind: .public)
        let rows: [(text: String?, kernel: DeviceAddress?, expected: DeviceAddress?)] = [
            ("b8:27:eb:01:02:0a", asked, shown), ("b8:27:eb:01:02:0a", DeviceAddress.none, shown),
            ("b8:27:eb:01:02:0a", nil, shown), ("00:00:00:00:00:00", asked, asked), ("nonsense", asked, asked),
            (nil, asked, asked), ("00:00:00:00:00:00", nil, nil), ("nonsense", nil, nil),
        ]
        for (number, row) in rows.enumerated() {
            let system = try System()
            try system.addAdapter("hci0", on: nil)
            if let text = row.text { try system.write("devices/virtual/bluetooth/hci0/address", text + "\n") }
            let listing = AdapterListing(folder: system.path) { _ in
                row.kernel.map { AdapterListing.KernelInformation(address: $0, isUp: number.isMultiple(of: 2)) }
            }
            #expect(listing.adapters.map(\.address) == [row.expected], "\(number)")
            #expect(listing.adapters.map(\.isUp) == [row.kernel.map { _ in number.isMultiple(of: 2) }], "\(number)")
        }
    }
}
