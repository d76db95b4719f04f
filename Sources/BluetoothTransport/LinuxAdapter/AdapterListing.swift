// The adapters of a Linux machine, as listed under /sys/class: reading them needs no privileges, and
// does not open an adapter.

package import BluetoothTypes

#if os(Linux)
import CPlatform
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The Linux adapters and radio switches of this machine.
public struct AdapterListing: Hashable, Sendable {
    /// Whether a radio is switched off.
    package enum Block: Hashable, Sendable {
        case none
        /// A program has switched it off; `rfkill unblock bluetooth` switches it on.
        case byProgram
        /// A switch or key of the machine has switched it off, which no program can change.
        case bySwitch
    }

    /// A Linux adapter.
    package struct Adapter: Hashable, Sendable {
        /// The number in its name.
        package var index: Int
        /// The public address; `nil` if the kernel does not know it, as before its first use.
        package var address: DeviceAddress?
        /// USB, UART, SDIO, PCI or virtual, else the kernel's name.
        package var bus: String
        /// The kernel's driver.
        package var driver: String?
        /// The product name; only USB devices have one.
        package var product: String?
        /// Whether it is up; `nil` if unknown.
        package var isUp: Bool?
        /// Whether the system can use it: `false` while a program has its user channel, `nil` if unknown.
        package var isManaged: Bool?
        package var block = Block.none

        /// The name by which it is opened.
        package var name: AdapterName { .linux(index: self.index) }
    }

    /// A switch for all Bluetooth of the machine; while it is off, an adapter may not even be listed.
    package struct RadioSwitch: Hashable, Sendable {
        /// The name given by its driver.
        package var name: String
        package var block: Block
    }

    /// An adapter's state, as an HCI socket reports it.
    struct KernelInformation: Hashable, Sendable {
        /// All zeros if the adapter was never up.
        var address: DeviceAddress
        var isUp: Bool
    }

    /// The adapters in the order of their numbers.
    package var adapters: [Adapter]
    /// The switches that do not belong to one adapter, sorted by name.
    package var radioSwitches: [RadioSwitch]

    /// Reads the adapters of this machine.
    ///
    /// - Parameter folder: The kernel's folder of devices by class.
    package init(folder: String = "/sys/class") {
        if folder == "/sys/class" {
            self.init(folder: folder, kernel: Self.askKernel, managed: AdapterManagement.indices)
        } else {
            self.init(folder: folder, kernel: { _ in nil })
        }
    }

    init(folder: String, kernel: (Int) -> KernelInformation?, managed: () -> Set<Int>? = { nil }) {
        let bluetooth = SystemFolder(path: "\(folder)/bluetooth")
        let switches = Self.switches(SystemFolder(path: "\(folder)/rfkill"))
        let indices = bluetooth.entries.compactMap(Self.index(of:)).sorted()
        let managed = indices.isEmpty ? nil : managed()
        self.adapters = indices.map { index in
            var adapter = Self.adapter(index, bluetooth["hci\(index)"], switches, kernel(index))
            adapter.isManaged = managed?.contains(index)
            return adapter
        }
        let own = Set(self.adapters.map(\.name.description))
        self.radioSwitches = switches.filter { !own.contains($0.name) }
    }

    /// The number in the name of an adapter; `nil` for a link of one, such as `hci0:64`.
    private static func index(of name: String) -> Int? {
        guard case .linux(let index)? = try? AdapterName(parsing: name), name == "hci\(index)" else { return nil }
        return index
    }

    private static func adapter(
        _ index: Int,
        _ folder: SystemFolder,
        _ switches: [RadioSwitch],
        _ kernel: KernelInformation?
    ) -> Adapter {
        let device = folder["device"]
        let shown = folder.text("address").flatMap { DeviceAddress($0, kind: .public) }
        return Adapter(
            index: index,
            address: [shown, kernel?.address].compactMap(\.self).first { $0 != .none },
            bus: Self.bus(device.linkedName("subsystem")),
            driver: device.linkedName("driver"),
            // An adapter is an interface of a USB device, which is its parent.
            product: device[".."].text("product"),
            isUp: kernel?.isUp,
            block: switches.first { $0.name == "hci\(index)" }?.block ?? .none
        )
    }

    private static func bus(_ subsystem: String?) -> String {
        switch subsystem {
        case nil: "virtual"
        case "usb"?: "USB"
        case "tty"?, "serial"?, "serdev"?: "UART"
        case "sdio"?, "mmc"?: "SDIO"
        case "pci"?: "PCI"
        case let other?: other
        }
    }

    private static func switches(_ folder: SystemFolder) -> [RadioSwitch] {
        folder.entries.sorted().compactMap { entry in
            let rfkill = folder[entry]
            guard rfkill.text("type") == "bluetooth", let name = rfkill.text("name") else { return nil }
            let block: Block =
                rfkill.text("hard") == "1" ? .bySwitch : rfkill.text("soft") == "1" ? .byProgram : .none
            return RadioSwitch(name: name, block: block)
        }
        .sorted { $0.name < $1.name }
    }

    private static func askKernel(_ index: Int) -> KernelInformation? {
        #if os(Linux)
        var socket: CInt = -1
        guard let index = UInt16(exactly: index), linux_hci_socket(&socket) == 0 else { return nil }
        defer { close(socket) }
        var information = linux_hci_information()
        guard linux_hci_get_information(socket, index, &information) == 0 else { return nil }
        let address = withUnsafeBytes(of: information.address) { octets in
            octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return KernelInformation(address: DeviceAddress(address, kind: .public), isUp: information.is_up)
        #else
        return nil
        #endif
    }
}
