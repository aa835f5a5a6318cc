export function Logo({ className = "size-7" }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-ink" />
      <path
        d="M6 21.500c5.200.6 8.600-.6 11-3.400l-3.600-.2c3.700-1.100 5.400-3.600 6.300-6.900.5-1.800 1.900-2.900 3.700-2.900 1.500 0 2.600.7 3.200 1.900l-2.700.9c.1 6.900-4.600 13.500-12.600 13.500-2.100 0-3.900-.4-5.300-1.200z"
        className="fill-bg"
      />
      <circle cx="22.500" cy="10.600" r="1" className="fill-ink" />
    </svg>
  );
}
